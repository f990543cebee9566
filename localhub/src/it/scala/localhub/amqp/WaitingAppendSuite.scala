package localhub.amqp

import java.nio.ByteBuffer
import java.nio.file.{Files, Path}
import java.util.concurrent.CountDownLatch

import scala.jdk.CollectionConverters._

import com.azure.messaging.eventhubs.EventData
import com.azure.messaging.eventhubs.models.SendOptions
import org.apache.qpid.proton.amqp.messaging.Accepted
import org.apache.qpid.proton.amqp.transport.Disposition

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import localhub.amqp.server.AmqpLimits
import localhub.log.{DelegatingLog, EventEncoder, LogPosition, MemoryLog, PartitionLog, SegmentLog}
import localhub.namespace.{HubStorage, Namespace, StubHubStorage}
import testkit.TestSuite

/** Appends that wait for a disk. */
class WaitingAppendSuite extends TestSuite with HubFixture {

  private val mostWaiting = 1L << 20
  @volatile private var disk = new CountDownLatch(1)

  /** Partition 0 waits for `disk`; the others are in memory. */
  private final class WaitingLog(inner: PartitionLog) extends DelegatingLog(inner) {
    override def appendWaits: Boolean = true
    override def append(count: Int, encoder: EventEncoder): LogPosition = {
      disk.await()
      inner.append(count, encoder)
    }
  }

  private val inMemory = new StubHubStorage(_ => new MemoryLog(clock))
  private var storage: HubStorage = inMemory

  private val limits = AmqpLimits(waitingPerConnection = mostWaiting)

  override protected def newServer(ignored: Namespace): AmqpServer = {
    val namespace = new Namespace(clock, storage)
    namespace.create("hub1", 4)
    new AmqpServer(namespace, policies, "127.0.0.1", 0, clock, ioThreads = 1, limits = limits)
  }

  private val onePartitionWaits =
    new StubHubStorage(p => if (p == 0) new WaitingLog(new MemoryLog(clock)) else new MemoryLog(clock))

  private def withStorage(chosen: HubStorage)(test: => Unit): Unit = {
    afterEach()
    storage = chosen
    disk = new CountDownLatch(1)
    beforeEach()
    test
  }

  test("while a disk is slow, other clients are served, and no delivery is accepted before it is stored") {
    withStorage(onePartitionWaits) {
      val client = closing(builder().buildAsyncProducerClient())
      val sends =
        (1 to 5).map(i => client.send(Seq(new EventData(s"$i")).asJava, new SendOptions().setPartitionId("0")).toFuture)
      send("1", "quick")
      assert(read("1", 1).head.getData.getBodyAsString == "quick")
      assert(sends.forall(!_.isDone) && namespace.find("hub1").exists(_.partitions.head.bounds.isEmpty))
      disk.countDown()
      eventually("all are accepted")(sends.forall(s => s.isDone && !s.isCompletedExceptionally))
      assert(read("0", 5).map(_.getData.getBodyAsString).sorted == (1 to 5).map(_.toString))
    }
  }

  test("batches of one link are stored in send order when every append is synced") {
    val directory = Files.createTempDirectory("waiting-append")
    def folder(partition: Int): Path = Files.createDirectories(directory.resolve(partition.toString))
    withStorage(new StubHubStorage(p => new SegmentLog(folder(p), clock, fsync = true))) {
      val c = closing(new FrameClient(server.port)).open()
      c.attachSender("hub1/Partitions/2")
      (0 until 50).foreach(i => c.transfer(i, FrameClient.event(s"$i")))
      assert(read("2", 50).map(_.getData.getBodyAsString) == (0 until 50).map(_.toString))
    }
    namespace.close()
    Files.walk(directory).sorted(java.util.Comparator.reverseOrder()).forEach(f => Files.delete(f))
  }

  private val payload = {
    val bytes = new Array[Byte](60000)
    Array[Byte](0, 0x53, 0x75, 0xb0.toByte) ++ ByteBuffer.allocate(4).putInt(bytes.length).array ++ bytes
  }

  /** Sends 18 MB from its own thread, and waits until the server reads no more of it. */
  private def overfill(c: FrameClient): Unit = {
    c.attachSender("hub1/Partitions/0")
    new Thread(() => (0 until 300).foreach(i => c.transfer(i, payload))).start()
    var read = 0L
    var unchanged = 0
    eventually("the server reads no more") {
      val before = read
      read = server.counters.bytesIn
      unchanged = if (read == before) unchanged + 1 else 0
      read > mostWaiting && unchanged > 10
    }
    assert(read < 3 * mostWaiting)
  }

  for ((what, isDiskSlow) <- Seq("for the disk" -> true, "behind a stall" -> false))
    test(s"a connection is not read while many of its bytes wait $what; others are, and no event is lost") {
      withStorage(if (isDiskSlow) onePartitionWaits else inMemory) {
        val stall = server.faults.inject(
          Fault(FaultAction.Stall, Occasion.Send, FaultScope(partition = Some(if (isDiskSlow) "none" else "0")))
        )
        val c = closing(new FrameClient(server.port)).open()
        overfill(c)
        send("1", "quick")
        disk.countDown()
        server.faults.cancel(stall.id)
        (0 until 300).foreach(_ => assert(c.expect[Disposition].getState.isInstanceOf[Accepted]))
        assert(server.context.waitingBytes.get == 0)
      }
    }

  test("the bytes of a connection that has closed wait no longer") {
    withStorage(onePartitionWaits) {
      val c = closing(new FrameClient(server.port)).open()
      c.attachSender("hub1/Partitions/0")
      (0 until 10).foreach(i => c.transfer(i, payload))
      eventually("they wait")(server.context.waitingBytes.get > 500000)
      c.close()
      eventually("the connection is closed")(server.counters.openConnections == 0)
      disk.countDown()
      eventually("none waits")(server.context.waitingBytes.get == 0)
    }
  }
}
