package localhub

import java.nio.file.Files
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicBoolean

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.azure.core.amqp.AmqpRetryOptions
import com.azure.messaging.eventhubs.models.{CreateBatchOptions, EventPosition}
import com.azure.messaging.eventhubs.{EventData, EventHubClientBuilder}
import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Millis, Seconds, Span}

import localhub.cli.HubProcess
import localhub.log.Scratch

/**
 * The whole program with a data directory is killed with SIGKILL while the official SDK sends to it as fast as it can.
 * HUB_KILLS says how often.
 */
class HubCrashSuite extends AnyFunSuite with Eventually {

  override implicit val patienceConfig: PatienceConfig = PatienceConfig(Span(60, Seconds), Span(20, Millis))

  private val kills = sys.env.get("HUB_KILLS").fold(3)(_.toInt)
  private val partitions = 2
  private val data = Scratch.directory()
  private val ready = Scratch.directory().resolve("ready.json")

  test(s"after $kills kills under load every acknowledged event is there once, in order, as the SDK reads it") {
    val acknowledged = (0 until partitions).map(_ => new ConcurrentLinkedQueue[String])
    (1 to kills).foreach(round => hub(sendUntilKilled(_, round, acknowledged)))
    Using.resource(start()) { _ =>
      acknowledged.zipWithIndex.foreach { case (expected, partition) =>
        val stored = readAll(connectionString(port()), partition)
        assert(stored.distinct.size == stored.size)
        // What was in flight at a kill may be there too, and nothing else may.
        val sent = expected.asScala.toSeq
        assert(stored.filter(sent.toSet) == sent)
        info(s"partition $partition: ${sent.size} acknowledged, ${stored.size} stored")
      }
    }
  }

  private def hub(use: HubProcess => Unit): Unit = Using.resource(start())(use)

  private def start(): HubProcess = {
    Files.deleteIfExists(ready)
    val hub = new HubProcess(Seq(
      "--hub",
      s"telemetry:$partitions",
      "--port",
      "0",
      "--http-port",
      "0",
      "--data-dir",
      data.toString,
      "--ready-file",
      ready.toString
    ))
    eventually(assert(Files.exists(ready), hub.stderr))
    hub
  }

  private def port(): Int = ujson.read(Files.readString(ready))("amqpPort").num.toInt

  private def connectionString(port: Int): String =
    s"Endpoint=sb://localhost:$port;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;" +
      "UseDevelopmentEmulator=true;EntityPath=telemetry"

  private def sendUntilKilled(hub: HubProcess, round: Int, acknowledged: Seq[ConcurrentLinkedQueue[String]]): Unit = {
    val killed = new AtomicBoolean
    val before = acknowledged.map(_.size).sum
    val senders = acknowledged.zipWithIndex.map { case (queue, partition) =>
      val thread = new Thread(() => send(connectionString(port()), round, partition, queue, killed))
      thread.start()
      thread
    }
    eventually(assert(acknowledged.map(_.size).sum > before + 20000))
    killed.set(true)
    hub.process.destroyForcibly().waitFor()
    senders.foreach(_.join())
  }

  /** Whole batches, one after the other; a batch that was answered is acknowledged. */
  private def send(
      to: String,
      round: Int,
      partition: Int,
      queue: ConcurrentLinkedQueue[String],
      killed: AtomicBoolean
  ): Unit = {
    val noRetry = new AmqpRetryOptions().setMaxRetries(0)
    Using.resource(new EventHubClientBuilder().connectionString(to).retryOptions(noRetry).buildProducerClient()) {
      producer =>
        val options = new CreateBatchOptions().setPartitionId(partition.toString)
        try Iterator.from(0).takeWhile(_ => !killed.get).foreach { n =>
            val batch = producer.createBatch(options)
            val ids = (0 until 200).map(i => s"$round/$partition/$n/$i")
            ids.foreach(id => batch.tryAdd(new EventData(id.padTo(100, '.'))))
            producer.send(batch)
            ids.foreach(queue.add)
          }
        catch { case failure: RuntimeException if !killed.get => throw failure; case _: RuntimeException => () }
    }
  }

  private def readAll(from: String, partition: Int): Seq[String] =
    Using.resource(new EventHubClientBuilder().connectionString(
      from
    ).consumerGroup("$Default").prefetchCount(2000).buildConsumerClient()) { consumer =>
      val last = consumer.getPartitionProperties(partition.toString).getLastEnqueuedSequenceNumber
      Iterator.unfold(0L) { next =>
        Option.when(next <= last) {
          val wait = java.time.Duration.ofSeconds(30)
          val events = consumer.receiveFromPartition(
            partition.toString,
            math.min(10000, last - next + 1).toInt,
            EventPosition.fromSequenceNumber(next, true),
            wait
          ).asScala.toSeq
          events.zipWithIndex.foreach { case (event, i) => assert(event.getData.getSequenceNumber == next + i) }
          assert(events.nonEmpty)
          (events.map(_.getData.getBodyAsString.takeWhile(_ != '.')), next + events.size)
        }
      }.flatten.toSeq
    }
}
