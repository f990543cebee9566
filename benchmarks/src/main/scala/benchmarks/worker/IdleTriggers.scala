package benchmarks.worker

import java.nio.file.Path
import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.sql.streaming.StreamingQueryListener._
import org.apache.spark.sql.streaming.{StreamingQueryListener, Trigger}
import org.apache.spark.sql.{DataFrame, SparkSession}

/** How long a trigger takes that finds nothing to read, when one follows the other without a pause. */
final class IdleTriggers(spark: SparkSession) {

  /** @return `events` is the number of triggers */
  def count(events: DataFrame, checkpoint: Path): Done = {
    val idle = new IdleCount
    spark.streams.addListener(idle)
    val query = events.writeStream
      .format("noop")
      .option("checkpointLocation", checkpoint.toString)
      .trigger(Trigger.ProcessingTime(0))
      .start()
    try {
      while (idle.count < IdleTriggers.WarmUp) awaitMore(query.isActive)
      val (before, start) = (idle.count, System.nanoTime())
      while (idle.count < before + IdleTriggers.Counted) awaitMore(query.isActive)
      Done(idle.count - before, seconds = Some((System.nanoTime() - start) / 1e9))
    } finally {
      query.stop()
      spark.streams.removeListener(idle)
    }
  }

  private def awaitMore(active: Boolean): Unit = {
    require(active, "the query ended while it should find nothing")
    Thread.sleep(1)
  }
}

/** Triggers that found nothing, of all queries. */
final class IdleCount extends StreamingQueryListener {

  private val triggers = new AtomicLong

  def count: Long = triggers.get

  override def onQueryStarted(event: QueryStartedEvent): Unit = ()
  override def onQueryProgress(event: QueryProgressEvent): Unit = ()
  override def onQueryTerminated(event: QueryTerminatedEvent): Unit = ()
  override def onQueryIdle(event: QueryIdleEvent): Unit = {
    triggers.incrementAndGet()
    ()
  }
}

private object IdleTriggers {
  private val WarmUp = 100
  private val Counted = 200
}
