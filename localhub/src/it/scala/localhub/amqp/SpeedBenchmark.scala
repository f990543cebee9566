package localhub.amqp

import java.lang.management.ManagementFactory
import java.time.Clock
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.jdk.CollectionConverters._

import com.azure.messaging.eventhubs.models.{EventPosition, ReceiveOptions, SendOptions}
import com.azure.messaging.eventhubs.{EventData, EventHubClientBuilder}

import localhub.HubConfig
import localhub.amqp.event.{BatchDecoder, StoredEventEncoder}
import localhub.auth.SharedAccessPolicy
import localhub.log.{EventEncoder, LogPosition, PartitionLog}
import localhub.namespace.Namespace

/**
 * Measures sending and receiving for events of 100 B, 1 KB and 10 KB: the rate of the official SDK, the rate of a
 * client that reads only frame sizes, and for each the CPU time of the server's I/O threads per event. A program, not a
 * test:
 * {{{
 * ./sbt "localhub/It/runMain localhub.amqp.SpeedBenchmark"          # the table; 1st argument: passes, 5 if missing
 * ./sbt "localhub/It/runMain localhub.amqp.SpeedBenchmark 9 1024"   # only this size
 * }}}
 * It prints the median of the passes. A first pass of each kind warms up the JVM and is not counted.
 */
object SpeedBenchmark {

  private val threads = ManagementFactory.getThreadMXBean
  private val sizes = Seq(100, 1024, 10240)

  private final case class Pass(eventsPerSecond: Double, serverMicros: Double)

  def main(args: Array[String]): Unit = {
    val passes = args.headOption.fold(5)(_.toInt)
    val wanted = if (args.length > 1) args.toSeq.tail.map(_.toInt) else sizes
    println(
      "| event | send, SDK | hub CPU/event | receive, SDK | hub CPU/event | receive, raw | hub CPU/event | raw : SDK |"
    )
    println("|---|---|---|---|---|---|---|---|")
    wanted.foreach { bytes =>
      // All passes together would fill the heap, so each one has an empty hub.
      val send = middle(passes)(withServer(bytes, filled = false)(port => timed(bytes)(sendWithSdk(port, _, bytes))))
      val (sdk, raw) = withServer(bytes, filled = true) { port =>
        (middle(passes)(timed(bytes)(readWithSdk(port, _))), middle(passes)(timed(bytes)(readRaw(port, _))))
      }
      val cells = Seq(send, sdk, raw).map(pass => f"${pass.eventsPerSecond}%,.0f/s | ${pass.serverMicros}%.2f µs")
      println(s"| $bytes B | ${cells.mkString(" | ")} | ${"%.1f".format(raw.eventsPerSecond / sdk.eventsPerSecond)} |")
    }
    sys.exit()
  }

  /** About 200 MB, so that a pass of a fast reader takes measurable time. */
  private def eventsOf(bytes: Int): Int = math.min(500000, 200 * 1024 * 1024 / bytes)

  private def withServer[A](bytes: Int, filled: Boolean)(use: Int => A): A = {
    val namespace = Namespace.inMemory(Clock.systemUTC())
    val hub = namespace.create(HubConfig("hub1", 1)).get
    val server = new AmqpServer(namespace, Seq(SharedAccessPolicy.Root), "127.0.0.1", 0)
    try {
      if (filled) fill(hub.partitions.head, eventsOf(bytes), bytes)
      use(server.port)
    } finally {
      server.close()
      namespace.close()
    }
  }

  /** Median of the passes after the warm-up pass. */
  private def middle(passes: Int)(pass: => Pass): Pass = {
    val counted = (0 to passes).map(_ => pass).drop(1)
    Pass(median(counted.map(_.eventsPerSecond)), median(counted.map(_.serverMicros)))
  }

  private def timed(bytes: Int)(run: Int => Unit): Pass = {
    val events = eventsOf(bytes)
    val (cpu, start) = (serverCpuNanos, System.nanoTime)
    run(events)
    val seconds = (System.nanoTime - start) / 1e9
    Pass(events / seconds, (serverCpuNanos - cpu) / 1e3 / events)
  }

  private def median(values: Seq[Double]): Double = values.sorted.apply(values.size / 2)

  private def serverCpuNanos: Long =
    threads.getThreadInfo(threads.getAllThreadIds).toSeq.flatMap(Option(_))
      .filter(_.getThreadName.startsWith("localhub-amqp"))
      .map(info => threads.getThreadCpuTime(info.getThreadId)).sum

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
    val encoding = new StoredEventEncoder(BatchDecoder.decode(one, 0))
    (0 until events by 1000).foreach { from =>
      log.append(
        math.min(1000, events - from),
        new EventEncoder {
          override def encode(index: Int, position: LogPosition): Array[Byte] = encoding.encode(0, position)
        }
      )
    }
  }

  /** Reads only frame sizes. */
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
