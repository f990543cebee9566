package localhub.namespace

import localhub.Retention
import localhub.log.{PartitionLog, StartingPoint}

/** Removes expired events from a partition. */
private[namespace] object RetentionRule {

  def apply(log: PartitionLog, retention: Retention, nowMillis: Long): Unit = {
    val byTime = retention.time.map { limit =>
      log.sequenceNumberAt(StartingPoint.EnqueuedTime(nowMillis - limit.toMillis, inclusive = true))
    }
    val bySize = retention.bytesPerPartition.flatMap(firstWithin(log, _))
    (byTime ++ bySize).maxOption.foreach(log.trimBefore)
  }

  /** Sequence number from which on the events have at most `bytes` in total; None when nothing must be removed. */
  private def firstWithin(log: PartitionLog, bytes: Long): Option[Long] = {
    val retained = log.retainedBytes
    if (retained <= bytes) None
    else
      log.read(log.bounds.beginSequenceNumber).map { first =>
        log.sequenceNumberAt(StartingPoint.Offset(first.position.offset + retained - bytes, inclusive = true))
      }
  }
}
