package benchmarks.worker

import java.nio.file.Path
import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.sql.streaming.StreamingQueryListener._
import org.apache.spark.sql.streaming.{StreamingQueryListener, Trigger}
import org.apache.spark.sql.{DataFrame, SparkSession}

/** Measures the duration of a trigger without events, when triggers follow each other without a pause. */
final class IdleTriggerTimer(spark: SparkSession) {

  /** @return an outcome whose `events` is the number of triggers */
  def count(events: DataFrame, checkpoint: Path): Outcome = {
    val listener = new IdleTriggerListener
    spark.streams.addListener(listener)
    val query = events.writeStream
      .format("noop")
      .option("checkpointLocation", checkpoint.toString)
      .trigger(Trigger.ProcessingTime(0))
      .start()
    try {
      while (listener.count < IdleTriggerTimer.WarmUp) awaitMore(query.isActive)
      val (before, start) = (listener.count, System.nanoTime())
      while (listener.count < before + IdleTriggerTimer.Counted) awaitMore(query.isActive)
      Outcome(listener.count - before, seconds = Some((System.nanoTime() - start) / 1e9))
    } finally {
      query.stop()
      spark.streams.removeListener(listener)
    }
  }

  private def awaitMore(active: Boolean): Unit = {
    require(active, "the query ended while it waited for events")
    Thread.sleep(1)
  }
}

/** Counts the triggers without events, of all queries. */
final class IdleTriggerListener extends StreamingQueryListener {

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

private object IdleTriggerTimer {
  private val WarmUp = 100
  private val Counted = 200
}
