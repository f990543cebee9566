package org.apache.spark.sql.eventhubs

import java.time.Duration

import org.apache.spark.eventhubs.EventPosition
import org.apache.spark.eventhubs.client.EndpointProbe
import org.apache.spark.eventhubs.options.ReadSettings

/**
 * Tries the way to the hub before a query runs. The consumer group and the right to listen are tried with a link:
 * management calls tell neither, and a task would find out only when there is something to read.
 */
private[eventhubs] object ReadinessCheck {

  /** A refusal comes within a round trip or two; a link to an empty partition simply stays silent. */
  private val RefusalComesWithin = Duration.ofMillis(500)

  def apply(info: PartitionInfoReader, settings: ReadSettings): Unit = {
    EndpointProbe.check(settings.connection)
    val bounds = info.snapshot().bounds
    // An event that is there ends the wait at once.
    val partition = bounds.find(!_._2.isEmpty).orElse(bounds.headOption).map(_._1)
    partition.foreach { id =>
      info.client.firstSequenceNumber(
        settings.consumerGroup,
        id,
        EventPosition.StartOfStream,
        settings.ownerLevel,
        RefusalComesWithin
      )
    }
  }
}
