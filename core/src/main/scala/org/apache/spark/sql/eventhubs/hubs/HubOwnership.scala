package org.apache.spark.sql.eventhubs.hubs

import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.ownership.{GroupOwnership, QueryOwnership}

/**
 * How a query owns the partitions of its hubs.
 *
 * @param ofHub         starts the ownership of one hub's partitions, for the settings of this hub
 * @param beforeRelease writes the checkpoints that wait, because the next owner continues there
 */
private[eventhubs] final class HubOwnership(
    val query: QueryOwnership,
    val ofHub: ReadSettings => GroupOwnership,
    val beforeRelease: () => Unit
)
