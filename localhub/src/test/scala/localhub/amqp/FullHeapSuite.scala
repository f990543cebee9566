package localhub.amqp

import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.apache.qpid.proton.amqp.messaging.Rejected
import org.apache.qpid.proton.amqp.transport.Disposition
import org.scalatest.funsuite.AnyFunSuite

import localhub.log._
import localhub.node.{LogStorage, Namespace}

/** The heap has no room for what one client wants; the others on its thread do not notice. */
class FullHeapSuite extends AnyFunSuite with HubFixture {

  // No array can be as large.
  private def exhaust(): Array[Byte] = new Array[Byte](Int.MaxValue)

  /** Partition 0 is this log, the others are in memory. */
  private def serving(log: PartitionLog): AmqpServer = {
    val namespace = new Namespace(clock, new LogStorage(p => if (p == 0) log else new MemoryLog(clock)))
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
      s"an append that the heap has no room for is refused, on ${if (waits) "a thread of its own" else "the loop"}"
    ) {
      val client = connect(serving(new DelegatingLog(new MemoryLog(clock)) {
        override def appendWaits: Boolean = waits
        override def append(count: Int, encoder: EventEncoder): LogPosition = super.append(count, (_, _) => exhaust())
      }))
      assert(!storesInto(client, 0))
      assert(storesInto(client, 1))
    }
  }

  test("a connection that the heap has no room for is closed, and the others of its thread are served") {
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

  test("a task that the heap has no room for does not end the thread") {
    val loop = closing(new IoLoop("test"))
    val reached = new CountDownLatch(1)
    loop.execute(() => { exhaust(); () })
    loop.execute(() => reached.countDown())
    loop.start()
    assert(reached.await(patience.toMillis, TimeUnit.MILLISECONDS))
  }
}
