package org.apache.spark.eventhubs.connection

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.spark.eventhubs.options.WriteDestination
import org.apache.spark.eventhubs.send.SendFixture.event
import testkit.TestSuite

/** What becomes of bytes that wait in a connection, here or in the kernel, when the connection is given up. */
class AbortedConnectionSuite extends TestSuite with WriteHubFixture {

  private val partition = WriteDestination.ToPartition("0")

  /** Bytes that the kernel has for a port and has not delivered. Linux reports them. */
  private def unsent(port: Int): Long = {
    val lines = Seq("tcp", "tcp6").flatMap(name => Files.readAllLines(Path.of(s"/proc/net/$name")).asScala.drop(1))
    lines.map(_.trim.split("\\s+")).collect {
      case fields if Integer.parseInt(fields(2).split(":")(1), 16) == port =>
        java.lang.Long.parseLong(fields(4).split(":")(0), 16)
    }.sum
  }

  private def batch(producer: EventHubsProducer, bodies: String*): EventBatch = {
    val batch = producer.newBatch(partition, None).get()
    bodies.foreach(body => assert(batch.tryAdd(event(body)) == EventBatch.Added))
    batch
  }

  /**
   * Sends a large batch that the proxy holds, ends the connection, and returns what arrives when the proxy continues.
   */
  private def arriving(end: EventHubsProducer => Unit): Seq[String] = {
    assume(Files.exists(Path.of("/proc/net/tcp")), "only Linux says what waits in the kernel")
    val hub = newHub(1)
    val proxy = new TcpProxy(localHub.amqpPort, window = Some(4096))
    val producer = EventHubsProducerClient.open(through(proxy, hub).connection)
    try {
      val large = batch(producer, Seq("first" + "x" * 100000) ++ Seq.fill(4)("y" * 100000): _*)
      val held = proxy.pauseFrom("firstxxxx".getBytes)
      producer.send(large)
      held.await()
      eventually("nothing waits in the kernel")(unsent(proxy.port) > 0)
      end(producer)
      proxy.resume()
      eventually("the proxy still has something to deliver")(proxy.openConnections == 0)
      bodies(hub)(0).map(_.take(5))
    } finally {
      producer.abort()
      proxy.close()
    }
  }

  test("of an aborted connection nothing leaves this host afterwards, not even from the kernel") {
    assert(arriving(_.abort()).isEmpty)
  }

  /** Sends an event, ends the connection, and runs `test` when the hub no longer has it. */
  private def ended(hub: String)(end: EventHubsProducer => Unit)(test: EventHubsProducer => Unit): Unit = {
    val producer = EventHubsProducerClient.open(settings(hub).connection)
    producer.send(batch(producer, "a")).get()
    val before = localHub.amqp.counters.openConnections
    end(producer)
    eventually("the hub keeps the connection")(localHub.amqp.counters.openConnections < before)
    test(producer)
  }

  test("a connection that is aborted is gone when the call returns, and opens no other") {
    def end(producer: EventHubsProducer): Unit = {
      producer.abort()
      assert(unsent(localHub.amqpPort) == 0)
      ()
    }
    ended(newHub(1))(end) { producer =>
      val failed = intercept[Exception](producer.send(new AmqpEventBatch(partition, 100)).get())
      assert(failed.getMessage.contains("Connection recovery support is terminated"))
    }
  }

  test("a connection that is closed sends its last frames") {
    val hub = newHub(1)
    ended(hub)(_.close())(_ => assert(bodies(hub)(0) == Seq("a")))
  }
}
