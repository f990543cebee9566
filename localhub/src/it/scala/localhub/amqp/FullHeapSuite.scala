package localhub.amqp

import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.apache.qpid.proton.amqp.messaging.Rejected
import org.apache.qpid.proton.amqp.transport.Disposition

import localhub.amqp.io.IoLoop
import localhub.log.{DelegatingLog, EventEncoder, LogEntry, LogPosition, MemoryLog, PartitionLog}
import localhub.namespace.{Namespace, StubHubStorage}
import testkit.TestSuite

/** A request of one client runs out of heap; other clients on the same thread are not affected. */
class FullHeapSuite extends TestSuite with HubFixture {

  // No array can have this size.
  private def exhaust(): Array[Byte] = new Array[Byte](Int.MaxValue)

  /** Partition 0 is this log, the others are in memory. */
  private def serving(log: PartitionLog): AmqpServer = {
    val namespace = new Namespace(clock, new StubHubStorage(p => if (p == 0) log else new MemoryLog(clock)))
    namespace.create("hub1", 2)
    closing(new AmqpServer(namespace, policies, "127.0.0.1", 0, clock, ioThreads = 1))
  }

  private def connect(server: AmqpServer): FrameClient = closing(new FrameClient(server.port)).open()

  private def storesInto(client: FrameClient, partition: Int): Boolean = {
    client.attachSender(s"hub1/Partitions/$partition", handle = partition, name = s"to-$partition")
    client.transfer(partition, FrameClient.event("x"), handle = partition)
    client.expect[Disposition].getState match {
      case rejected: Rejected =>
        assert(rejected.getError.getCondition.toString == "amqp:resource-limit-exceeded")
        assert(rejected.getError.getDescription.contains("memory is full"))
        false
      case _ => true
    }
  }

  Seq(false, true).foreach { waits =>
    test(
      s"an append that runs out of heap is refused, on ${if (waits) "an append thread" else "the I/O loop"}"
    ) {
      val client = connect(serving(new DelegatingLog(new MemoryLog(clock)) {
        override def appendWaits: Boolean = waits
        override def append(count: Int, encoder: EventEncoder): LogPosition = super.append(count, (_, _) => exhaust())
      }))
      assert(!storesInto(client, 0))
      assert(storesInto(client, 1))
    }
  }

  test("a connection that runs out of heap is closed, and other connections of its thread are served") {
    val log = new DelegatingLog(new MemoryLog(clock)) {
      override def readBatch(sequenceNumber: Long, maxEvents: Int, maxBytes: Int): IndexedSeq[LogEntry] = {
        exhaust()
        IndexedSeq.empty
      }
    }
    val server = serving(log)
    val reader = connect(server)
    val other = connect(server)
    reader.attachReceiver("hub1/ConsumerGroups/$Default/Partitions/0")
    reader.flow(10)
    assert(reader.isClosedByServer)
    assert(storesInto(other, 1) && storesInto(connect(server), 1))
  }

  test("a task that runs out of heap does not end the thread") {
    val loop = closing(new IoLoop("test"))
    val reached = new CountDownLatch(1)
    loop.execute(() => { exhaust(); () })
    loop.execute(() => reached.countDown())
    loop.start()
    assert(reached.await(testTimeout.toMillis, TimeUnit.MILLISECONDS))
  }
}
