package localhub

import java.net.{InetSocketAddress, Socket}

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.azure.messaging.eventhubs.EventData
import com.azure.messaging.eventhubs.models.{EventPosition, SendOptions}
import com.sun.management.UnixOperatingSystemMXBean
import org.apache.qpid.proton.amqp.UnsignedInteger
import org.apache.qpid.proton.amqp.transport.{Begin, Open}

import localhub.amqp.FrameClient
import testkit.{LongTest, TestSuite}

/** The program with 10,000 open connections (HUB_CONNECTIONS; fewer if the file handle limit is lower). */
@LongTest
class ManyConnectionsSuite extends TestSuite {

  private val heapMb = 256
  private val filesLeft = java.lang.management.ManagementFactory.getOperatingSystemMXBean match {
    case unix: UnixOperatingSystemMXBean => unix.getMaxFileDescriptorCount - unix.getOpenFileDescriptorCount - 500
    case _ => Long.MaxValue
  }
  private val wanted = math.min(sys.env.get("HUB_CONNECTIONS").fold(10000)(_.toInt).toLong, filesLeft).toInt

  /** Protocol header, open and begin in one piece, without SASL. */
  private def greeting(port: Int): Array[Byte] = Using.resource(new FrameClient(port)) { frames =>
    val open = new Open
    open.setContainerId("one of many")
    val begin = new Begin
    begin.setNextOutgoingId(UnsignedInteger.ZERO)
    begin.setIncomingWindow(UnsignedInteger.valueOf(100))
    begin.setOutgoingWindow(UnsignedInteger.valueOf(100))
    ("AMQP".getBytes ++ Array[Byte](0, 1, 0, 0)) ++ frames.frame(0, open) ++ frames.frame(0, begin)
  }

  private def connect(port: Int, hello: Array[Byte]): Socket = {
    val socket = new Socket()
    socket.connect(new InetSocketAddress("127.0.0.1", port))
    socket.setSoTimeout(60000)
    socket.getOutputStream.write(hello)
    socket
  }

  private def roundTrip(hub: RunningHub): Unit = {
    val bodies = (0 until 1000).map(_.toString)
    val first = Using.resource(hub.sdk.buildProducerClient()) { producer =>
      val next = producer.getPartitionProperties("0").getLastEnqueuedSequenceNumber + 1
      producer.send(bodies.map(new EventData(_)).asJava, new SendOptions().setPartitionId("0"))
      next
    }
    Using.resource(hub.sdk.buildConsumerClient()) { consumer =>
      val from = EventPosition.fromSequenceNumber(first, true)
      val events = consumer.receiveFromPartition("0", 1000, from, java.time.Duration.ofMinutes(1)).asScala
      assert(events.map(_.getData.getBodyAsString).toSeq == bodies)
    }
  }

  test(s"a heap of $heapMb MB serves $wanted open connections, and other clients are not disturbed") {
    Using.resource(new RunningHub(partitions = 1, heap = s"${heapMb}m")) { hub =>
      roundTrip(hub)
      val before = hub.liveHeapMb()
      val hello = greeting(hub.amqpPort)
      val sockets = (1 to wanted).map(_ => connect(hub.amqpPort, hello))
      try {
        // Every connection has been answered; the answer starts with the header.
        sockets.foreach(socket => assert(socket.getInputStream.readNBytes(8).startsWith("AMQP".getBytes)))
        assert(hub.metric("localhub_amqp_open_connections") >= wanted)
        roundTrip(hub)
        info(s"live heap: $before MB before, ${hub.liveHeapMb()} MB with $wanted connections")
        // An OutOfMemoryError would be there.
        assert(hub.program.stderr.isEmpty)
      } finally sockets.foreach(_.close())
      eventually(assert(hub.metric("localhub_amqp_open_connections") == 0))
      roundTrip(hub)
    }
  }
}
