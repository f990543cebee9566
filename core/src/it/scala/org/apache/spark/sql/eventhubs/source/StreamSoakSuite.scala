package org.apache.spark.sql.eventhubs.source

import java.lang.management.ManagementFactory

import scala.jdk.CollectionConverters._

import org.apache.spark.eventhubs.executor.ExecutorResources
import testkit.{LongTest, TestSuite}

class V1StreamSoakSuite extends StreamSoakBehaviour(ApiVersion.V1)
class V2StreamSoakSuite extends StreamSoakBehaviour(ApiVersion.V2)

/** Many small batches in one JVM. `STREAM_BATCHES=2000` is the long form. */
@LongTest
abstract class StreamSoakBehaviour(override protected val api: ApiVersion) extends TestSuite with StreamFixture {

  private val batches = sys.env.getOrElse("STREAM_BATCHES", "60").toInt
  private val points = math.max(5, batches / 100)

  private val OwnThreads = Seq("reactor-executor", "eventhubs-")

  /** Spark's threads for block requests: up to 128, and each garbage collection causes such requests. */
  private val BlockManagerThreads = "block-manager-"

  /**
   * @param heap       bytes in use after a garbage collection
   * @param ownThreads names of the SDK's connection threads and of the connector's threads; some of other suites may
   *                   still run
   * @param callers    one for each connection; it ends after a second without a call
   */
  private case class Usage(
      batch: Long,
      heap: Long,
      threads: Int,
      ownThreads: Seq[String],
      callers: Int,
      links: Int,
      clients: Int,
      connections: Long
  ) {
    override def toString: String =
      f"batch $batch%5d: heap ${heap / 1e6}%.1f MB, $threads threads, ${ownThreads.size} of them own " +
        s"(${ownThreads.mkString(", ")}) and $callers callers, $links links, $clients clients, $connections connections"
  }

  private def usage(query: Running, hub: String): Usage = {
    (1 to 3).foreach(_ => System.gc())
    val heap = ManagementFactory.getMemoryMXBean.getHeapMemoryUsage.getUsed
    // One snapshot for both: a caller that ends between two snapshots would count as a leaked thread.
    val names = Thread.getAllStackTraces.keySet.asScala.toSeq.map(_.getName)
    val (callers, ownThreads) =
      names.filter(name => OwnThreads.exists(name.startsWith)).sorted.partition(_ == "eventhubs-sdk-caller")
    Usage(
      query.query.lastProgress.batchId,
      heap,
      names.count(!_.startsWith(BlockManagerThreads)),
      ownThreads,
      callers.size,
      localHub.amqp.readers.count(_.hub == hub),
      ExecutorResources.get.clients.size,
      localHub.amqp.counters.openConnections.toLong
    )
  }

  test(s"over $batches batches heap, threads, links and clients stay as they are") {
    val name = newHub(2)
    running(stream(name, earliest)) { query =>
      var sent = 0
      def read(rounds: Int): Unit = for (_ <- 1 to rounds) {
        send(name, 1, 1)
        sent += 1
        query.query.processAllAvailable()
        // The test itself must not keep the batches.
        assert(query.batches.asScala.map { case (_, events) => events.size }.sum == 2)
        query.batches.clear()
      }
      read(20)
      val measured = (1 to points).map { _ =>
        read(batches / points)
        val now = usage(query, name)
        println(s"$api, $now")
        now
      }
      val (first, last) = (measured.head, measured.last)
      assert(last.batch - first.batch >= (batches / points) * (points - 1))
      assert(measured.forall(_.links == 2))
      // Resources of earlier suites may close in the meantime.
      assert(measured.zip(measured.tail).forall { case (one, next) => next.clients <= one.clients })
      assert(measured.forall(_.connections == first.connections))
      // A caller of an earlier suite lives for a second after its connection closed.
      assert(measured.tail.forall(usage => usage.callers <= usage.connections))
      // One thread for each connection and one that closes idle resources. Those of earlier suites may end in the
      // meantime.
      for ((one, next) <- measured.zip(measured.tail)) assert(next.ownThreads.diff(one.ownThreads).isEmpty)
      // Before that, pools fill, and so do Spark's lists of past jobs, stages and executions, which are limited to
      // 1,000.
      val half = measured(points / 2)
      assert(last.threads - half.threads < 20, "threads")
      // The long form detects a leak of 4 KB for each batch.
      assert(last.heap - half.heap < 4000000, "heap")
      assert(query.metrics("linksOpened").toLong <= 6)
    }
  }
}
