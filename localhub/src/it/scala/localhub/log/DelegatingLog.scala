package localhub.log

/** Delegates to another log. A test overrides single methods. */
abstract class DelegatingLog(inner: PartitionLog) extends PartitionLog {
  override def append(count: Int, encoder: EventEncoder): LogPosition = inner.append(count, encoder)
  override def bounds: LogBounds = inner.bounds
  override def sequenceNumberAt(start: StartingPoint): Long = inner.sequenceNumberAt(start)
  override def read(sequenceNumber: Long): Option[LogEntry] = inner.read(sequenceNumber)
  override def readBatch(sequenceNumber: Long, maxEvents: Int, maxBytes: Int): IndexedSeq[LogEntry] =
    inner.readBatch(sequenceNumber, maxEvents, maxBytes)
  override def retainedBytes: Long = inner.retainedBytes
  override def trimBefore(sequenceNumber: Long): Unit = inner.trimBefore(sequenceNumber)
  override def onAppend(listener: Runnable): AutoCloseable = inner.onAppend(listener)
  override def close(): Unit = inner.close()
}
