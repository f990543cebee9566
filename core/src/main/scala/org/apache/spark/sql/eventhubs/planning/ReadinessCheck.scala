package org.apache.spark.sql.eventhubs.planning

import java.time.Duration

import org.apache.spark.eventhubs.connection.EndpointProbe
import org.apache.spark.eventhubs.options.ReadSettings

/**
 * Checks the connection to the hub before a query runs. It opens a link to check the consumer group and the right to
 * listen: management calls check neither, and a task would fail only when there is something to read.
 */
private[eventhubs] object ReadinessCheck {

  /** If the service neither admits nor refuses in this time, the query starts anyway; its reads retry or report it. */
  private val AnswerWithin = Duration.ofSeconds(20)

  def apply(info: PartitionInfoReader, settings: ReadSettings): Unit = {
    EndpointProbe.check(settings.connection)
    // The call itself fails at the operation timeout, and a slow service is no reason to refuse the query.
    val within = Seq(AnswerWithin, settings.connection.operationTimeout.dividedBy(2)).min
    info.snapshot().bounds.keys.headOption.foreach { id =>
      info.client.checkReading(settings.consumerGroup, id, settings.ownerLevel, within)
    }
  }
}
