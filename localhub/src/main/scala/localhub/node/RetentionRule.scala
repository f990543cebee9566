package localhub.node

import localhub.Retention
import localhub.log.{PartitionLog, StartingPoint}

/** Removes what a partition need not keep. */
private[node] object RetentionRule {

  def apply(log: PartitionLog, retention: Retention, nowMillis: Long): Unit = {
    val byTime = retention.time.map { limit =>
      log.sequenceNumberAt(StartingPoint.EnqueuedTime(nowMillis - limit.toMillis, inclusive = true))
    }
    val bySize = retention.bytesPerPartition.flatMap(firstWithin(log, _))
    (byTime ++ bySize).maxOption.foreach(log.trimBefore)
  }

  /** First event from which on all have at most `bytes`; None when nothing has to go. */
  private def firstWithin(log: PartitionLog, bytes: Long): Option[Long] = {
    val retained = log.retainedBytes
    if (retained <= bytes) None
    else
      log.read(log.bounds.beginSequenceNumber).map { first =>
        log.sequenceNumberAt(StartingPoint.Offset(first.position.offset + retained - bytes, inclusive = true))
      }
  }
}
