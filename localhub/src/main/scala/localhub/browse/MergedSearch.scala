package localhub.browse

import localhub.log.{PartitionLog, StartingPoint}

/**
 * A page of the events of several partitions.
 *
 * @param next where the next page starts in each partition that has more events; empty after the last page
 */
private[localhub] final case class MergedPage(events: Seq[EventView], next: Map[Int, Long])

/**
 * Searches all partitions of a hub, and merges what it finds by enqueued time.
 *
 * @param contains text that an event must contain
 * @param maxBody  characters of each body in the result
 */
private[localhub] final class MergedSearch(
    logs: IndexedSeq[PartitionLog],
    limit: Int,
    contains: Option[String],
    maxBody: Int
) {

  /** The newest events first. `starts` is the `next` of the page before; without it, the page is the first one. */
  def backward(starts: Option[Map[Int, Long]]): MergedPage = {
    val from = starts.getOrElse(logs.indices.map(id => id -> (logs(id).bounds.lastSequenceNumber + 1)).toMap)
    val byLastEvent = from.keys.toSeq.sortBy(id => logs(id).bounds.lastEnqueuedMillis)(Ordering.Long.reverse)
    // The newest `limit` events are in at most `limit` partitions. With a filter they can be in any.
    val searched = if (contains.isEmpty && starts.isEmpty) byLastEvent.take(limit) else byLastEvent
    merge(from, searched, MergedSearch.newestFirst)
  }

  /** The oldest events first, from an enqueued time on. `starts` is the `next` of the page before. */
  def forward(fromMillis: Long, starts: Option[Map[Int, Long]]): MergedPage = {
    val from = starts.getOrElse(logs.indices.map { id =>
      id -> logs(id).sequenceNumberAt(StartingPoint.EnqueuedTime(fromMillis, inclusive = true))
    }.toMap)
    merge(from, from.keys.toSeq, MergedSearch.oldestFirst)
  }

  private def merge(starts: Map[Int, Long], searched: Seq[Int], direction: MergedSearch.Direction): MergedPage = {
    // One partition at a time, so that memory holds only the best events so far and those of one partition.
    val none = (Seq.empty[EventView], Map.empty[Int, (Int, Option[Long])])
    val (events, found) = searched.foldLeft(none) { case ((best, found), id) =>
      val search = new EventSearch(id.toString, logs(id), limit, contains, maxBody)
      val page = direction.page(search, starts(id))
      ((best ++ page.events).sorted(direction.order).take(limit), found.updated(id, (page.events.size, page.next)))
    }
    val taken = events.groupBy(_.partition.toInt)
    val next = starts.flatMap { case (id, start) =>
      val own = taken.getOrElse(id, Nil)
      val following = found.get(id) match {
        case Some((count, next)) if own.size == count => next
        case _ => Some(own.lastOption.fold(start)(direction.after))
      }
      following.map(id -> _)
    }
    MergedPage(events, next)
  }
}

private[localhub] object MergedSearch {

  /** @param after where a search continues that has returned this event */
  private final case class Direction(
      order: Ordering[EventView],
      page: (EventSearch, Long) => EventPage,
      after: EventView => Long
  )

  private val newestFirst = Direction(
    Ordering.by(view => (-view.position.enqueuedMillis, -view.position.sequenceNumber, view.partition.toInt)),
    _.backward(_),
    _.position.sequenceNumber
  )
  private val oldestFirst = Direction(
    Ordering.by(view => (view.position.enqueuedMillis, view.position.sequenceNumber, view.partition.toInt)),
    _.forward(_),
    _.position.sequenceNumber + 1
  )
}
