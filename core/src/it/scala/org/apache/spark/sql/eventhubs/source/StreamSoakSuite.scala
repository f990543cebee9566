package org.apache.spark.sql.eventhubs.source

import java.lang.management.ManagementFactory

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.eventhubs.executor.ExecutorResources

class V1StreamSoakSuite extends StreamSoakBehaviour(ApiVersion.V1)
class V2StreamSoakSuite extends StreamSoakBehaviour(ApiVersion.V2)

/** Many small batches in one JVM. `STREAM_BATCHES=2000` makes the long form. */
abstract class StreamSoakBehaviour(override protected val api: ApiVersion) extends AnyFunSuite with StreamFixture {

  private val batches = sys.env.getOrElse("STREAM_BATCHES", "60").toInt
  private val points = math.max(5, batches / 100)

  private val OwnThreads = Seq("reactor-executor", "eventhubs-")

  /** Spark starts a new one for each question about a block, up to 128, and questions come with each collection. */
  private val BlockManagerThreads = "block-manager-"

  /**
   * @param heap       bytes in use after a collection
   * @param ownThreads names of the SDK's threads for connections and of the connector's; other suites' may still be there
   * @param callers    one for each connection, which ends when there is nothing to call for a second
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
        s"(${ownThreads.mkString(", ")}) beside $callers callers, $links links, $clients clients, $connections connections"
  }

  private def usage(query: Running, hub: String): Usage = {
    (1 to 3).foreach(_ => System.gc())
    val heap = ManagementFactory.getMemoryMXBean.getHeapMemoryUsage.getUsed
    // One look for both: a caller that ends between two would be counted as one thread of ours too many.
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
        // What the test itself keeps of the batches must not be what grows.
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
      // Those of earlier suites may go meanwhile.
      assert(measured.zip(measured.tail).forall { case (one, next) => next.clients <= one.clients })
      assert(measured.forall(_.connections == first.connections))
      assert(measured.forall(usage => usage.callers <= usage.connections))
      // One for each connection, and the one that closes what is idle; those of earlier suites may go meanwhile.
      for ((one, next) <- measured.zip(measured.tail)) assert(next.ownThreads.diff(one.ownThreads).isEmpty)
      // Until then pools fill, and Spark's lists of past jobs, stages and executions, which end at 1,000 each.
      val half = measured(points / 2)
      assert(last.threads - half.threads < 20, "threads")
      // In the long form 4 KB kept of each batch would be found.
      assert(last.heap - half.heap < 4000000, "heap")
      assert(query.metrics("linksOpened").toLong <= 6)
    }
  }
}
