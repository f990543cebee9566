package localhub.log

/**
 * A log from which compaction removes single events. Sequence numbers, offsets and bounds stay as they are, as in
 * Kafka: the numbers of removed events are gaps. The events are hidden; their space is freed when retention removes it.
 *
 * @param file keeps the removed numbers over restarts; None for a log in memory
 */
private[localhub] final class CompactableLog(log: PartitionLog, file: Option[RemovedEventsFile]) extends PartitionLog {

  // Changed under the lock of `this`.
  @volatile private var removed = file.fold(RemovedEvents.Empty)(load)

  override def bounds: LogBounds = log.bounds

  override def append(count: Int, encoder: EventEncoder): LogPosition = log.append(count, encoder)

  override def appendWaits: Boolean = log.appendWaits

  override def sync(): Unit = log.sync()

  override def problem: Option[String] = log.problem

  override def sequenceNumberAt(start: StartingPoint): Long = log.sequenceNumberAt(start)

  override def read(sequenceNumber: Long): Option[LogEntry] =
    if (removed.contains(sequenceNumber)) None else log.read(sequenceNumber)

  override def readBatch(sequenceNumber: Long, maxEvents: Int, maxBytes: Int): IndexedSeq[LogEntry] = {
    val hidden = removed
    if (hidden.isEmpty) log.readBatch(sequenceNumber, maxEvents, maxBytes)
    else
      log.readBatch(hidden.firstKept(sequenceNumber), maxEvents, maxBytes)
        .filterNot(entry => hidden.contains(entry.position.sequenceNumber))
  }

  override def retainedBytes: Long = log.retainedBytes

  override def retainedEvents: Long = {
    val hidden = removed
    if (hidden.isEmpty) log.retainedEvents else log.retainedEvents - hidden.countFrom(bounds.beginSequenceNumber)
  }

  /** Removed events count too, because their space is not free. */
  override def firstWithin(bytes: Long): Option[Long] = log.firstWithin(bytes)

  override def trimBefore(sequenceNumber: Long): Unit = log.trimBefore(sequenceNumber)

  override def remove(sequenceNumbers: Iterable[Long]): Unit = if (sequenceNumbers.nonEmpty) synchronized {
    val all = removed.and(sequenceNumbers, bounds.beginSequenceNumber)
    file.foreach { numbers =>
      // The numbers are on disk at once, so their events must be: others would get the numbers after a power loss.
      log.sync()
      numbers.save(all)
    }
    removed = all
  }

  // After a power loss, numbers after the end would hide the next events.
  private def load(file: RemovedEventsFile): RemovedEvents = {
    val stored = file.load()
    val valid = stored.before(log.bounds.lastSequenceNumber + 1)
    if (valid ne stored) file.save(valid)
    valid
  }

  override def onAppend(listener: Runnable): AutoCloseable = log.onAppend(listener)

  override def close(): Unit = log.close()
}
