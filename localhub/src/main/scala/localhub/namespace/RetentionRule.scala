package localhub.namespace

import localhub.Retention
import localhub.log.{PartitionLog, StartingPoint}

/** Removes expired events from a partition. */
private[namespace] object RetentionRule {

  def apply(log: PartitionLog, retention: Retention, nowMillis: Long): Unit = {
    val byTime = retention.time.map { limit =>
      log.sequenceNumberAt(StartingPoint.EnqueuedTime(nowMillis - limit.toMillis, inclusive = true))
    }
    val bySize = retention.bytesPerPartition.flatMap(log.firstWithin)
    (byTime ++ bySize).maxOption.foreach(log.trimBefore)
  }
}
