package localhub.http

import java.util.concurrent.ThreadLocalRandom

import scala.util.Try

import localhub.amqp.event.EventAppender
import localhub.browse.{EventPage, EventSearch, EventView, JsonEvent}
import localhub.log.PartitionLog
import localhub.namespace.{EventHub, Namespace}

/** Lists events and sends one. */
private[localhub] final class EventRoutes(namespace: Namespace, maxMessageBytes: Int) extends Routes {
  import EventRoutes._

  override val answer: PartialFunction[Request, Response] = {
    case Request("GET", List("hubs", name, "events"), query, _) =>
      namespace.find(name).fold(HubRoutes.unknown(name))(newest(_, query))
    case Request("GET", List("hubs", name, "partitions", id, "events"), query, _) =>
      withPartition(name, id)(page(id, _, query))
    case Request("GET", List("hubs", name, "partitions", id, "events", sequenceNumber), _, _) =>
      withPartition(name, id)(one(id, _, sequenceNumber))
    case Request("POST", List("hubs", name, "events"), _, body) =>
      namespace.find(name).fold(HubRoutes.unknown(name))(send(_, body))
  }

  private def withPartition(name: String, id: String)(use: PartitionLog => Response): Response =
    namespace.find(name).fold(HubRoutes.unknown(name)) { hub =>
      hub.partition(id).fold(HubRoutes.unknownPartition(hub, id))(use)
    }

  /** The newest events of all partitions by enqueued time. */
  private def newest(hub: EventHub, query: Map[String, String]): Response = {
    Parameters.check(query, "limit", "contains")
    val count = limit(query)
    val byLastEvent = hub.partitions.zipWithIndex.sortBy(_._1.bounds.lastEnqueuedMillis)(Ordering.Long.reverse)
    // The newest `count` events are in at most `count` partitions. With a filter they can be in any.
    val candidates = if (contains(query).isEmpty) byLastEvent.take(count) else byLastEvent
    // One partition at a time, so that memory holds only the newest events so far and those of one partition.
    val newestFirst = candidates.foldLeft(Seq.empty[EventView]) { case (newest, (log, id)) =>
      val views = new EventSearch(id.toString, log, count, contains(query), BodyInList).backward(Long.MaxValue).events
      (newest ++ views).sortBy(view => (-view.position.enqueuedMillis, -view.position.sequenceNumber)).take(count)
    }
    reply(EventPage(newestFirst, None))
  }

  private def page(id: String, log: PartitionLog, query: Map[String, String]): Response = {
    Parameters.check(query, "from", "before", "limit", "contains")
    val search = new EventSearch(id, log, limit(query), contains(query), BodyInList)
    (Parameters.long(query, "from"), Parameters.long(query, "before")) match {
      case (Some(_), Some(_)) => throw BadRequest("Give from=N (oldest first) or before=N (newest first), not both.")
      case (Some(from), None) => reply(search.forward(from))
      case (None, before) => reply(search.backward(before.getOrElse(Long.MaxValue)))
    }
  }

  private def one(id: String, log: PartitionLog, text: String): Response = {
    val found = text.toLongOption.flatMap(number =>
      new EventSearch(id, log, 1, None).forward(number).events.headOption
        .filter(_.position.sequenceNumber == number)
    )
    found.fold(Response.error(404, s"Partition $id has no event '$text'; it may have been removed."))(view =>
      Response.json(200, view.toJson)
    )
  }

  private def send(hub: EventHub, body: Array[Byte]): Response = {
    val json = Try(ujson.read(body)).getOrElse(throw BadRequest("The request's body is not JSON."))
    val event = JsonEvent.parse(json)
    val message = event.encoded
    val id = event.partition.orElse(event.partitionKey.map(EventAppender.partitionOf(hub, _)))
      .getOrElse(ThreadLocalRandom.current.nextInt(hub.partitions.length).toString)
    if (message.length > maxMessageBytes)
      Response.error(413, s"The event has ${message.length} bytes; at most $maxMessageBytes are allowed.")
    else
      hub.partition(id).fold(HubRoutes.unknownPartition(hub, id)) { log =>
        val position = EventAppender.append(log, message)
        Response.json(
          201,
          ujson.Obj(
            "partition" -> id,
            "sequenceNumber" -> HubJson.number(position.sequenceNumber),
            "offset" -> position.offset.toString
          )
        )
      }
  }
}

private[localhub] object EventRoutes {
  private val MaxLimit = 1000
  private val BodyInList = 2000

  private def limit(query: Map[String, String]): Int = Parameters.long(query, "limit").getOrElse(50L) match {
    case count if count >= 1 && count <= MaxLimit => count.toInt
    case count => throw BadRequest(s"limit is $count; expected 1 to $MaxLimit.")
  }

  private def contains(query: Map[String, String]): Option[String] = query.get("contains").filter(_.nonEmpty)

  private def reply(page: EventPage): Response = Response.json(
    200,
    ujson.Obj(
      "events" -> ujson.Arr.from(page.events.map(_.toJson)),
      "next" -> page.next.fold[ujson.Value](ujson.Null)(HubJson.number)
    )
  )
}
