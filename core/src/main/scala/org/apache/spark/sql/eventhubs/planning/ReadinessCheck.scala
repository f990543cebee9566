package org.apache.spark.sql.eventhubs.planning

import java.time.Duration

import org.apache.spark.eventhubs.connection.EndpointProbe
import org.apache.spark.eventhubs.options.ReadSettings

/**
 * Checks the connection to the hub before a query runs. It opens a link to check the consumer group and the right to
 * listen: management calls check neither, and a task would fail only when there is something to read.
 *
 * The endpoint, the hub's state and the link are checked at the same time, because each takes several round trips. A
 * failure of the endpoint is reported at once, and before any other: the SDK would retry until its timeout.
 */
private[eventhubs] object ReadinessCheck {

  /** If the service neither admits nor refuses in this time, the query starts anyway; its reads retry or report it. */
  private val AnswerWithin = Duration.ofSeconds(20)

  /** Every hub has it. */
  private val FirstPartition = 0

  def apply(info: PartitionInfoReader, settings: ReadSettings): Unit =
    apply(info, settings, () => EndpointProbe.check(settings.connection))

  /** @param probe throws when the service cannot be reached */
  private[planning] def apply(info: PartitionInfoReader, settings: ReadSettings, probe: () => Unit): Unit = {
    val endpoint = InBackground(probe())
    // An exclusive reader disconnects others, so it opens no link before the options are known to be valid.
    val link = Option.when(settings.ownerLevel.isEmpty)(InBackground(checkReading(info, settings)))
    try {
      endpoint.failsFirst(info.snapshot(() => endpoint.hasFailed))
      endpoint.await()
      link.fold(checkReading(info, settings))(_.await())
    } finally (endpoint +: link.toSeq).foreach(_.cancel())
  }

  private def checkReading(info: PartitionInfoReader, settings: ReadSettings): Unit = {
    // The call itself fails at the operation timeout, and a slow service is no reason to refuse the query.
    val within = Seq(AnswerWithin, settings.connection.operationTimeout.dividedBy(2)).min
    val partition = settings.partitions.fold(FirstPartition)(_.min)
    info.client.checkReading(settings.consumerGroup, partition, settings.ownerLevel, within)
  }
}
