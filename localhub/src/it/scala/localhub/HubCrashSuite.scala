package localhub

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.{AtomicBoolean, AtomicLong}

import scala.jdk.CollectionConverters._
import scala.util.Using

import com.azure.messaging.eventhubs.EventData
import com.azure.messaging.eventhubs.models.CreateBatchOptions
import org.scalatest.time.{Millis, Minutes, Seconds, Span}

import localhub.log.TempDirectory
import testkit.TestSuite

/**
 * The program with a data directory is killed with SIGKILL while the official SDK sends at full speed. HUB_KILLS is the
 * number of kills; HUB_KILL_RATE is the number of events/s that must be acknowledged in the second before each kill.
 */
class HubCrashSuite extends TestSuite {

  // HUB_KILLS and HUB_LOG_MB can make it long.
  override def timeLimit: Span = Span(30, Minutes)
  import HubCrashSuite._

  override implicit val patienceConfig: PatienceConfig = PatienceConfig(Span(120, Seconds), Span(20, Millis))

  private val kills = sys.env.get("HUB_KILLS").fold(3)(_.toInt)
  private val wantedRate = sys.env.get("HUB_KILL_RATE").fold(0L)(_.toLong)
  private val data = TempDirectory.create()
  private val acknowledged = IndexedSeq.fill(Partitions)(new ConcurrentLinkedQueue[Batch])
  private val count = new AtomicLong

  test(s"after $kills kills under load every acknowledged event is there once, in order, as the SDK reads it") {
    val rates = (1 to kills).map(round => Using.resource(start())(sendUntilKilled(_, round)))
    info(s"events/s in the second before each kill: ${rates.mkString(", ")}")
    Using.resource(start()) { hub =>
      (0 until Partitions).foreach { partition =>
        val stored = StoredBatches.read(hub, partition, EventsPerBatch)
        val expected = acknowledged(partition).asScala.toSeq
        // A batch that was in flight at a kill may be stored too, but completely. Nothing else may be stored.
        assert(stored.filter(expected.toSet) == expected)
        info(s"partition $partition: ${expected.size} batches acknowledged, ${stored.size} stored")
      }
      info(s"${count.get} events acknowledged in all")
    }
  }

  private def start(): RunningHub = new RunningHub(Partitions, Some(data))

  /** @return events/s acknowledged in the last second */
  private def sendUntilKilled(hub: RunningHub, round: Int): Long = {
    val killed = new AtomicBoolean
    val senders = (0 until Partitions).map { partition =>
      val thread = new Thread(() => send(hub, round, partition, killed))
      thread.start()
      thread
    }
    val before = count.get
    eventually(assert(count.get > before))
    var rate = 0L
    eventually {
      rate = ratePerSecond()
      assert(rate > 0 && rate >= wantedRate)
    }
    killed.set(true)
    hub.kill()
    senders.foreach(_.join())
    rate
  }

  private def ratePerSecond(): Long = {
    val (from, start) = (count.get, System.nanoTime)
    Thread.sleep(1000)
    ((count.get - from) / ((System.nanoTime - start) / 1e9)).toLong
  }

  /** Sends full batches one after the other. A batch whose send returned is acknowledged. */
  private def send(hub: RunningHub, round: Int, partition: Int, killed: AtomicBoolean): Unit =
    Using.resource(hub.sdk.buildProducerClient()) { producer =>
      val options = new CreateBatchOptions().setPartitionId(partition.toString)
      try Iterator.from(0).takeWhile(_ => !killed.get).foreach { n =>
          val batch = producer.createBatch(options)
          (0 until EventsPerBatch).foreach(i => assert(batch.tryAdd(new EventData(Batch(round, n).body(i)))))
          producer.send(batch)
          acknowledged(partition).add(Batch(round, n))
          count.addAndGet(EventsPerBatch.toLong)
        }
      catch { case failure: RuntimeException if !killed.get => throw failure; case _: RuntimeException => () }
    }
}

private object HubCrashSuite {
  val Partitions = 2
  val EventsPerBatch = 4000
}
