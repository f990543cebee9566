package org.apache.spark.sql.eventhubs

import java.time.Duration

import org.apache.spark.eventhubs.client.{EventHubsProducerClient, ProducerPool}
import org.apache.spark.util.SystemClock

/** The producers of this JVM, for the driver's checks and the executor's tasks. */
private[eventhubs] object EventHubsWriteResources {

  private val IdleTimeout = Duration.ofMinutes(10)

  lazy val producers: ProducerPool = {
    val pool = new ProducerPool(EventHubsProducerClient.open, IdleTimeout, new SystemClock)
    sys.addShutdownHook(pool.close())
    pool
  }
}
