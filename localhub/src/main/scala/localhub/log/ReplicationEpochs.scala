package localhub.log

/**
 * The epochs of a geo-replicated partition: which promotion of a secondary region the events came after. The first
 * epoch is 1. Guarded by the lock of its log.
 */
private[log] final class ReplicationEpochs {

  /** First sequence number of each epoch, ascending. */
  private var starts = Vector((0L, ReplicationEpochs.First))

  def at(sequenceNumber: Long): Int = starts.findLast { case (first, _) => first <= math.max(0L, sequenceNumber) }
    .fold(ReplicationEpochs.First) { case (_, epoch) => epoch }

  /** The next event belongs to a new epoch. */
  def raise(nextSequenceNumber: Long): Unit = {
    val epoch = starts.last._2 + 1
    starts = starts.filter { case (first, _) => first < nextSequenceNumber } :+ (nextSequenceNumber -> epoch)
  }
}

private object ReplicationEpochs {
  val First = 1
}
