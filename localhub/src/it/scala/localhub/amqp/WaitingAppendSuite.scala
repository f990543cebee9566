package localhub.amqp

import java.nio.file.{Files, Path}
import java.util.concurrent.CountDownLatch

import scala.jdk.CollectionConverters._

import com.azure.messaging.eventhubs.EventData
import com.azure.messaging.eventhubs.models.SendOptions

import localhub.amqp.server.AmqpLimits
import localhub.log.{DelegatingLog, EventEncoder, LogPosition, MemoryLog, PartitionLog, SegmentLog}
import localhub.namespace.{HubStorage, Namespace, StubHubStorage}
import testkit.TestSuite

/** Appends that wait for a disk. */
class WaitingAppendSuite extends TestSuite with HubFixture {

  /** The log of partition 0, whose disk writes nothing before `disk` is down. */
  private final class WaitingLog(disk: CountDownLatch, inner: PartitionLog) extends DelegatingLog(inner) {
    override def appendWaits: Boolean = true
    override def append(count: Int, encoder: EventEncoder): LogPosition = {
      disk.await()
      inner.append(count, encoder)
    }
  }

  private var storage: HubStorage = new StubHubStorage(_ => new MemoryLog(clock))

  override protected def newServer(ignored: Namespace): AmqpServer = {
    val namespace = new Namespace(clock, storage)
    namespace.create("hub1", 4)
    val limits = AmqpLimits(waitingPerConnection = 1L << 20)
    new AmqpServer(namespace, policies, "127.0.0.1", 0, clock, ioThreads = 1, limits = limits)
  }

  /** Partition 0 waits for a disk; the others are in memory. */
  private def withSlowDisk(test: CountDownLatch => Unit): Unit = {
    val disk = new CountDownLatch(1)
    def log(partition: Int): PartitionLog = {
      val memory = new MemoryLog(clock)
      if (partition == 0) new WaitingLog(disk, memory) else memory
    }
    withStorage(new StubHubStorage(log))(test(disk))
  }

  private def withStorage(chosen: HubStorage)(test: => Unit): Unit = {
    afterEach()
    storage = chosen
    beforeEach()
    test
  }

  test("while a disk is slow, other clients are served, and no delivery is accepted before it is stored") {
    withSlowDisk { disk =>
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

  test("the bytes that wait for a slow disk are bounded, and are stored once it is fast again") {
    withSlowDisk { disk =>
      val c = closing(new FrameClient(server.port)).open()
      c.attachSender("hub1/Partitions/0")
      val event = largeEvent(900000)
      val sender = new Thread(() => (0 until 100).foreach(sendInFrames(c, _, event)))
      sender.start()
      eventually("the server reads no more")(server.context.waitingBytes.get > (1 << 20))
      // The sockets' buffers hold less than the 90 MB.
      assert(sender.isAlive)
      send("1", "quick")
      assert(server.context.waitingBytes.get < (4 << 20))
      disk.countDown()
      eventually("all are stored")(namespace.find("hub1").exists(_.partitions.head.bounds.lastSequenceNumber == 99))
      sender.join()
      eventually("none waits")(server.context.waitingBytes.get == 0)
    }
  }

  private def largeEvent(bytes: Int): Array[Byte] = {
    val body = new Array[Byte](bytes)
    java.nio.ByteBuffer.allocate(8 + bytes).put(Array[Byte](0, 0x53, 0x75, 0xb0.toByte)).putInt(bytes).put(body).array
  }

  private def sendInFrames(c: FrameClient, id: Int, bytes: Array[Byte]): Unit =
    bytes.grouped(60000).toSeq.zipWithIndex.foreach { case (part, i) =>
      c.transfer(id, part, more = (i + 1) * 60000 < bytes.length)
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
}
