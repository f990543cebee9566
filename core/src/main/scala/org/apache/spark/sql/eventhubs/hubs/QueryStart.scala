package org.apache.spark.sql.eventhubs.hubs

import org.apache.spark.sql.eventhubs.EventHubsSourceOffset
import org.apache.spark.sql.eventhubs.planning.{HubIdentityTracker, InitialOffsets}

/**
 * The first offset of a query, with all hubs that it read then.
 *
 * @param stored the offset in `log`; None before the first start
 */
private[eventhubs] final class QueryStart(log: InitialOffsets, private var stored: Option[EventHubsSourceOffset]) {

  /** None before the first start of the query. */
  def offset: Option[EventHubsSourceOffset] = synchronized(stored)

  /** The stored offset. If there is none, stores and returns the result of `resolve`. */
  def getOrElseAdd(resolve: => EventHubsSourceOffset): EventHubsSourceOffset =
    offset.getOrElse {
      val added = log.getOrElseAdd(resolve)
      synchronized { stored = Some(added) }
      added
    }

  /** Names of the hubs in the offset. */
  def hubs: Seq[String] = offset.toSeq.flatMap(_.sequenceNumbers.keys).sorted

  def includes(hub: String): Boolean = offset.exists(_.of(hub).nonEmpty)
}

/**
 * The first offset of one hub. It is part of the query's first offset. For a hub that the query began to read later, it
 * is in the hub's identity file.
 */
private[hubs] final class HubStart(hub: String, query: QueryStart, identities: HubIdentityTracker)
    extends InitialOffsets {

  override def getOrElseAdd(resolve: => EventHubsSourceOffset): EventHubsSourceOffset = query.offset match {
    case None => resolve
    case Some(first) if first.of(hub).nonEmpty => EventHubsSourceOffset(hub, first.of(hub))
    case Some(_) if identities.startsAt.nonEmpty => EventHubsSourceOffset(hub, identities.startsAt)
    case Some(_) =>
      val joined = resolve
      identities.startAt(joined.of(hub))
      joined
  }
}
