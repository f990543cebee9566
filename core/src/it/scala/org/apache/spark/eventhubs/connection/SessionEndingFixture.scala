package org.apache.spark.eventhubs.connection

import org.scalatest.Suite

import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import org.apache.spark.eventhubs.receive.PrefetchQueue
import org.apache.spark.sql.eventhubs.source.ReadHubFixture

/** Clients of a hub behind a proxy that ends their sessions, links and connections. */
trait SessionEndingFixture extends ReadHubFixture { this: Suite =>

  /** Gives a new hub with three events in each partition. */
  protected def through(partitions: Int, more: (String, String)*)(
      test: (String, SessionEndingProxy, ReadSettings) => Unit
  ): Unit = {
    val name = newHub(partitions)
    send(name, Seq.fill(partitions)(3): _*)
    val proxy = new SessionEndingProxy(localHub.amqpPort)
    val address = "eventhubs.customEndpoint" -> s"localhost:${proxy.port}"
    try test(name, proxy, ReadSettings.parse(options(name, address +: more), ReadMode.Stream))
    finally proxy.close()
  }

  protected def take(queue: PrefetchQueue, count: Int): Unit = {
    queue.request(count.toLong)
    var taken = 0
    eventually(s"$count events") {
      while (queue.poll() ne null) taken += 1
      taken == count
    }
  }
}
