package benchmarks.worker

import java.util.concurrent.{Executors, TimeUnit}

import scala.collection.mutable

import com.sun.management.ThreadMXBean

/**
 * Bytes that all threads have allocated, and their CPU time by group. The JVM drops the figures of ended threads, so
 * this class samples them ten times a second. It misses the last tenth of a second of a thread.
 */
private final class ThreadUsage(threads: ThreadMXBean) extends AutoCloseable {

  import ThreadUsage._

  private val byThread = mutable.Map.empty[Long, Used]
  private val sampler = Executors.newSingleThreadScheduledExecutor { task =>
    val thread = new Thread(task, "thread-usage")
    thread.setDaemon(true)
    thread
  }
  sampler.scheduleAtFixedRate(() => sample(), 0, 100, TimeUnit.MILLISECONDS)

  def sums(): Sums = synchronized {
    sample()
    val used = byThread.values.toSeq
    Sums(used.map(_.allocated).sum, used.groupMapReduce(_.group)(_.cpuNanos / 1e9)(_ + _))
  }

  override def close(): Unit = {
    sampler.shutdownNow()
    ()
  }

  private def sample(): Unit = synchronized {
    val ids = threads.getAllThreadIds
    val (allocated, cpu) = (threads.getThreadAllocatedBytes(ids), threads.getThreadCpuTime(ids))
    ids.indices.filter(index => allocated(index) >= 0 && cpu(index) >= 0).foreach { index =>
      val id = ids(index)
      byThread.get(id).map(_.group).orElse(groupOf(id)).foreach { group =>
        byThread(id) = Used(group, allocated(index), cpu(index))
      }
    }
  }

  private def groupOf(id: Long): Option[String] = Option(threads.getThreadInfo(id)).map(_.getThreadName).map { name =>
    if (name.startsWith("Executor task launch worker")) "tasks"
    else if (ClientThreads.exists(name.startsWith)) "client"
    else "driver"
  }
}

private object ThreadUsage {

  /** @param cpuSeconds of the tasks' threads, of those of the client library, and of all others, the driver's */
  final case class Sums(allocatedBytes: Long, cpuSeconds: Map[String, Double])

  private final case class Used(group: String, allocated: Long, cpuNanos: Long)

  /** Threads of the Azure SDK, of our connector and of Kafka's client. */
  private val ClientThreads = Seq("reactor-", "parallel-", "boundedElastic", "single-", "eventhubs-", "kafka-")
}
