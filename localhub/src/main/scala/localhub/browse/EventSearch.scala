package localhub.browse

import scala.collection.mutable

import localhub.log.{PartitionLog, StartingPoint}

/**
 * A page of events.
 *
 * @param next start of the next page in the same direction; None after the last page
 */
private[localhub] final case class EventPage(events: Seq[EventView], next: Option[Long])

/**
 * Searches one partition forward or backward.
 *
 * @param contains text that an event must contain
 * @param maxBody  characters of each body in the result; the search covers the whole body
 */
private[localhub] final class EventSearch(
    partition: String,
    log: PartitionLog,
    limit: Int,
    contains: Option[String],
    maxBody: Int = Int.MaxValue
) {

  /** Events from `start` on, oldest first. */
  def forward(start: Long): EventPage = {
    val found = new mutable.ArrayBuffer[EventView]
    var next = math.max(start, log.bounds.beginSequenceNumber)
    val last = math.min(log.bounds.lastSequenceNumber, next + EventSearch.MaxScanned - 1)
    while (found.length < limit && next <= last) {
      val wanted = math.min(EventSearch.Chunk.toLong, last - next + 1).toInt
      val entries = log.readBatch(next, wanted, EventSearch.ChunkBytes)
      val views = entries.iterator.map(EventDecoder.decode(partition, _))
      while (found.length < limit && views.hasNext) {
        val view = views.next()
        next = view.position.sequenceNumber + 1
        if (matches(view)) found += view.truncated(maxBody)
      }
      // Retention removed these events during the search, or compaction all that follow.
      if (entries.isEmpty) {
        val begin = log.bounds.beginSequenceNumber
        next = if (begin > next) begin else last + 1
      }
    }
    EventPage(found.toSeq, Option.when(next <= log.bounds.lastSequenceNumber)(next))
  }

  /** Events before `end`, newest first. */
  def backward(end: Long): EventPage = {
    val found = new mutable.ArrayBuffer[EventView]
    var until = math.min(end, log.bounds.lastSequenceNumber + 1)
    val first = math.max(log.bounds.beginSequenceNumber, until - EventSearch.MaxScanned)
    while (found.length < limit && until > first) {
      val few = until - math.min(EventSearch.Chunk, math.max(limit, 1))
      val from = Seq(first, few, startOfBytes(until)).max
      val views = window(from, until).reverseIterator.map(EventDecoder.decode(partition, _))
      until = from
      while (found.length < limit && views.hasNext) {
        val view = views.next()
        if (matches(view)) found += view.truncated(maxBody)
        if (found.length == limit) until = view.position.sequenceNumber
      }
    }
    EventPage(found.toSeq, Option.when(until > log.bounds.beginSequenceNumber)(until))
  }

  /** First sequence number so that the events from it until `end` fit into one chunk; at least one event. */
  private def startOfBytes(end: Long): Long = log.read(end - 1).fold(0L) { last =>
    val from = last.position.offset + last.length - EventSearch.ChunkBytes
    math.min(end - 1, log.sequenceNumberAt(StartingPoint.Offset(from, inclusive = true)))
  }

  private def window(from: Long, until: Long) =
    Iterator.unfold(from) { next =>
      val entries =
        if (next < until) log.readBatch(next, (until - next).toInt, EventSearch.ChunkBytes) else IndexedSeq.empty
      entries.lastOption.map(last => (entries, last.position.sequenceNumber + 1))
    }.flatten.takeWhile(_.position.sequenceNumber < until).toIndexedSeq

  private def matches(view: EventView): Boolean = contains.forall(view.contains)
}

private[localhub] object EventSearch {

  /** Events per search, so that it answers soon; `next` continues it. */
  val MaxScanned = 20000
  private val Chunk = 256
  private val ChunkBytes = 4 * 1024 * 1024
}
