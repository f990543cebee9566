package benchmarks.scale

import java.util.concurrent.{Executors, TimeUnit}

/** The largest growth of a counter within a second, sampled five times a second. */
private[benchmarks] final class PeakCallRate(counter: () => Double) extends AutoCloseable {

  private val samples = scala.collection.mutable.ArrayBuffer.empty[(Long, Double)]
  private val timer = Executors.newSingleThreadScheduledExecutor()
  timer.scheduleAtFixedRate(() => sample(), 0, 200, TimeUnit.MILLISECONDS)

  def most: Double = synchronized {
    samples.map { case (time, count) =>
      val second = samples.iterator.dropWhile(_._1 < time).takeWhile(_._1 <= time + 1000000000L)
      second.map(_._2).max - count
    }.max
  }

  override def close(): Unit = {
    timer.shutdownNow()
    ()
  }

  private def sample(): Unit = synchronized {
    samples += (System.nanoTime() -> counter())
    ()
  }
}
