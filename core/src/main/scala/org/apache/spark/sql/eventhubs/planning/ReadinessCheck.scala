package org.apache.spark.sql.eventhubs.planning

import java.time.Duration

import org.apache.spark.eventhubs.connection.EndpointProbe
import org.apache.spark.eventhubs.options.ReadSettings

/**
 * Tries the way to the hub before a query runs. The consumer group and the right to listen are tried with a link:
 * management calls tell neither, and a task would find out only when there is something to read.
 */
private[eventhubs] object ReadinessCheck {

  /** For a service that answers neither so nor so at the moment: the query's own reading survives that, or tells of it. */
  private val AnswerWithin = Duration.ofSeconds(20)

  def apply(info: PartitionInfoReader, settings: ReadSettings): Unit = {
    EndpointProbe.check(settings.connection)
    // Only half of the operation's time: at its end the call fails, which a service that is slow is no reason for.
    val within = Seq(AnswerWithin, settings.connection.operationTimeout.dividedBy(2)).min
    info.snapshot().bounds.keys.headOption.foreach { id =>
      info.client.checkReading(settings.consumerGroup, id, settings.ownerLevel, within)
    }
  }
}
