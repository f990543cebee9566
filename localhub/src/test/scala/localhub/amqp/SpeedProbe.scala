package localhub.amqp

import java.lang.management.ManagementFactory
import java.time.Clock
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.jdk.CollectionConverters._

import com.azure.messaging.eventhubs.models.{EventPosition, ReceiveOptions, SendOptions}
import com.azure.messaging.eventhubs.{EventData, EventHubClientBuilder}

import localhub.amqp.event.{BatchDecoder, EventEncoding}
import localhub.auth.SharedAccessPolicy
import localhub.log.{EventEncoder, LogPosition, PartitionLog}
import localhub.node.Namespace

/**
 * Measures what reading and writing costs the server: events/s, and CPU of its I/O threads per event. A program, not a test:
 * `SpeedProbe raw|sdk|send <bytes per event> <events> <passes>`.
 */
object SpeedProbe {

  private val threads = ManagementFactory.getThreadMXBean

  private def serverCpuNanos: Long =
    threads.getThreadInfo(
      threads.getAllThreadIds
    ).toSeq.flatMap(Option(_)).filter(_.getThreadName.startsWith("localhub-amqp"))
      .map(info => threads.getThreadCpuTime(info.getThreadId)).sum

  def main(args: Array[String]): Unit = {
    val (kind, bytes, events, passes) = (args(0), args(1), args(2), args(3))
    val namespace = Namespace.inMemory(Clock.systemUTC())
    val hub = namespace.create("hub1", 1).get
    val server = new AmqpServer(namespace, Seq(SharedAccessPolicy.Root), "127.0.0.1", 0)
    if (kind != "send") fill(hub.partitions.head, events.toInt, bytes.toInt)
    (1 to passes.toInt).foreach { pass =>
      val cpu = serverCpuNanos
      val start = System.nanoTime
      kind match {
        case "raw" => readRaw(server.port, events.toInt)
        case "sdk" => readWithSdk(server.port, events.toInt)
        case "send" => sendWithSdk(server.port, events.toInt, bytes.toInt)
      }
      val seconds = (System.nanoTime - start) / 1e9
      val micros = (serverCpuNanos - cpu) / 1e3 / events.toInt
      println(
        f"$kind $bytes%6s B  pass $pass  ${events.toInt / seconds}%10.0f ev/s  ${events.toInt * bytes.toDouble / seconds / 1e6}%7.0f MB/s  server $micros%.3f us/ev"
      )
    }
    sys.exit()
  }

  private def fill(log: PartitionLog, events: Int, bytes: Int): Unit = {
    val one = Array(
      0x00,
      0x53,
      0x75,
      0xb0,
      bytes >>> 24,
      bytes >>> 16,
      bytes >>> 8,
      bytes
    ).map(_.toByte) ++ new Array[Byte](bytes)
    val encoding = new EventEncoding(BatchDecoder.decode(one, 0))
    (0 until events by 1000).foreach { from =>
      log.append(
        math.min(1000, events - from),
        new EventEncoder {
          override def encode(index: Int, position: LogPosition): Array[Byte] = encoding.encode(0, position)
        }
      )
    }
  }

  /** Only finds the ends of the frames. */
  private def readRaw(port: Int, events: Int): Unit = {
    val client = new FrameClient(port).open()
    client.attachReceiver("hub1/ConsumerGroups/$Default/Partitions/0")
    client.flow(Int.MaxValue, window = Int.MaxValue - 2)
    client.skipFrames(events)
    client.close()
  }

  private def builder(port: Int): EventHubClientBuilder = new EventHubClientBuilder()
    .connectionString(
      s"Endpoint=sb://localhost:$port;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;" +
        "UseDevelopmentEmulator=true;EntityPath=hub1"
    )
    .consumerGroup("$Default").prefetchCount(2000)

  private def readWithSdk(port: Int, events: Int): Unit = {
    val client = builder(port).buildAsyncConsumerClient()
    val count = new AtomicLong
    val done = new CountDownLatch(1)
    val subscription = client.receiveFromPartition("0", EventPosition.earliest(), new ReceiveOptions())
      .subscribe(_ => if (count.incrementAndGet() == events) done.countDown())
    assert(done.await(5, TimeUnit.MINUTES))
    subscription.dispose()
    client.close()
  }

  private def sendWithSdk(port: Int, events: Int, bytes: Int): Unit = {
    val client = builder(port).buildProducerClient()
    val body = new Array[Byte](bytes)
    val perBatch = math.max(1, 900000 / (bytes + 40))
    (0 until events by perBatch).foreach { from =>
      client.send(
        Seq.fill(math.min(perBatch, events - from))(new EventData(body)).asJava,
        new SendOptions().setPartitionId("0")
      )
    }
    client.close()
  }
}
