package org.apache.spark.eventhubs.connection

import java.util.concurrent.TimeUnit

/** The time by which sending waits and gives up. */
private[spark] trait ProducerClock {

  /** Monotonic; only differences mean something. */
  def nanoTime: Long

  /** @throws InterruptedException when the thread is told to stop */
  def sleep(nanos: Long): Unit
}

private[spark] object ProducerClock {
  val system: ProducerClock = new ProducerClock {
    override def nanoTime: Long = System.nanoTime()
    override def sleep(nanos: Long): Unit = TimeUnit.NANOSECONDS.sleep(nanos)
  }
}
