package localhub

import java.util.concurrent.atomic.AtomicLong

import scala.util.Using

import com.azure.messaging.eventhubs.models.CreateBatchOptions
import com.azure.messaging.eventhubs.{EventData, EventHubProducerClient}
import org.scalatest.time.{Minutes, Span}

import localhub.log.TempDirectory
import testkit.{LongTest, TestSuite}

/**
 * The program with a data directory serves a log that is much larger than its heap. HUB_LOG_MB and HUB_HEAP_MB are the
 * sizes; docs/internals/local-hub.md reports a run with `HUB_LOG_MB=4096 HUB_HEAP_MB=256`.
 */
@LongTest
class HubMemorySuite extends TestSuite {

  // HUB_KILLS and HUB_LOG_MB can make it long.
  override def timeLimit: Span = Span(30, Minutes)

  private val logMb = sys.env.get("HUB_LOG_MB").fold(320)(_.toInt)
  private val heapMb = sys.env.get("HUB_HEAP_MB").fold(48)(_.toInt)
  private val eventsPerBatch = 900
  private val bodyBytes = 1024
  private val partitions = 2

  test(s"$logMb MB of 1 KB events are stored and served by a heap of $heapMb MB") {
    val batches = math.ceil(logMb.toDouble * 1024 * 1024 / (bodyBytes * eventsPerBatch * partitions)).toInt
    Using.resource(new RunningHub(partitions, Some(TempDirectory.create()), s"${heapMb}m")) { hub =>
      val sent = new AtomicLong
      val start = System.nanoTime
      val senders = (0 until partitions).map { partition =>
        val thread = new Thread(() =>
          Using.resource(hub.sdk.buildProducerClient()) { producer =>
            (0 until batches).foreach { n =>
              send(producer, partition, n)
              sent.addAndGet(eventsPerBatch.toLong)
            }
          }
        )
        thread.start()
        thread
      }
      senders.foreach(_.join())
      val written = System.nanoTime
      val found = (0 until partitions).map(StoredBatches.read(hub, _, eventsPerBatch))
      found.foreach(batchesOf => assert(batchesOf == (0 until batches).map(Batch(0, _))))
      val read = System.nanoTime
      info(f"${sent.get}%,d events; sent in ${(written - start) / 1e9}%.0f s, read in ${(read - written) / 1e9}%.0f s")
      info(s"live heap at the end: ${hub.liveHeapMb()} MB of $heapMb")
      assert(hub.program.process.isAlive && hub.program.stderr.isEmpty)
    }
  }

  private def send(producer: EventHubProducerClient, partition: Int, number: Int): Unit = {
    val batch = producer.createBatch(new CreateBatchOptions().setPartitionId(partition.toString))
    (0 until eventsPerBatch).foreach { i =>
      assert(batch.tryAdd(new EventData(java.util.Arrays.copyOf(Batch(0, number).body(i), bodyBytes))))
    }
    producer.send(batch)
  }
}
