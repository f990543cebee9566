package localhub.amqp.event

import localhub.log.LogEntry
import localhub.namespace.CompactionKey

/** The partition key of a stored event, and whether the event is a tombstone: one without a value. */
private[localhub] object StoredEventKey {

  private val Value = 0x77
  private val Null = 0x40

  def of(entry: LogEntry): CompactionKey = {
    val (start, limit) = (entry.start, entry.start + entry.length)
    val key = IncomingEvent.parse(entry.array, start, limit).partitionKey
    CompactionKey(key, key.isDefined && isTombstone(entry.array, start, limit))
  }

  /** No body, an AMQP value that is null, or Data without content: what the connector reads as null. */
  private def isTombstone(bytes: Array[Byte], start: Int, limit: Int): Boolean = {
    var at = start
    var hasValue = false
    while (at < limit) {
      val code = Section.codeAt(bytes, at, limit)
      val value = Section.valueAt(bytes, at, limit)
      if (code >= Section.Data && code <= Value) hasValue ||= (bytes(value) & 0xff) != Null
      at = EncodedValue.end(bytes, value, limit)
    }
    !hasValue
  }
}
