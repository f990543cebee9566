package localhub.log

/**
 * The end of a log, where the next append continues.
 *
 * @param last       the last appended event; -1, -1 and the smallest time before the first one
 * @param nextOffset the offset of the next event
 */
private[log] final case class LogTail(last: LogPosition, nextOffset: Long) {
  def nextSequenceNumber: Long = last.sequenceNumber + 1
}

private[log] object LogTail {
  val Start: LogTail = LogTail(LogPosition(-1, -1, Long.MinValue), 0)
}
