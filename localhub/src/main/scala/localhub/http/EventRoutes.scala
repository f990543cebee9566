package localhub.http

import java.util.concurrent.ThreadLocalRandom

import scala.util.Try

import localhub.amqp.event.EventAppender
import localhub.browse.{EventSearch, EventView, ExactJson, JsonEvent, MergedSearch, SchemaBodies}
import localhub.log.{PartitionLog, StartingPoint}
import localhub.namespace.{EventHub, Namespace}
import localhub.schemas.SchemaRegistry

/** Lists events, stores new ones, and stores copies. */
private[localhub] final class EventRoutes(namespace: Namespace, schemas: SchemaRegistry, maxMessageBytes: Int)
    extends Routes {
  import EventRoutes._

  override val answer: PartialFunction[Request, Response] = {
    case Request("GET", List("hubs", name, "events"), query, _) =>
      namespace.find(name).fold(HubRoutes.unknown(name))(merged(_, query))
    case Request("GET", List("hubs", name, "partitions", id, "events"), query, _) =>
      withPartition(name, id)(page(id, _, query))
    case Request("GET", List("hubs", name, "partitions", id, "events", sequenceNumber), _, _) =>
      withPartition(name, id)(one(id, _, sequenceNumber))
    case Request("POST", List("hubs", name, "partitions", id, "events", sequenceNumber, "resend"), _, _) =>
      withPartition(name, id)(resend(id, _, sequenceNumber))
    case Request("POST", List("hubs", name, "events"), _, body) =>
      namespace.find(name).fold(HubRoutes.unknown(name))(send(_, body))
  }

  private def withPartition(name: String, id: String)(use: PartitionLog => Response): Response =
    namespace.find(name).fold(HubRoutes.unknown(name)) { hub =>
      hub.partition(id).fold(HubRoutes.unknownPartition(hub, id))(use)
    }

  /** Events of all partitions: the newest first, or with `fromTime` the oldest first. */
  private def merged(hub: EventHub, query: Map[String, String]): Response = {
    Parameters.check(query, "limit", "contains", "fromTime", "cursor")
    val search = new MergedSearch(hub.partitions, limit(query), contains(query), BodyInList)
    val cursor = Parameters.cursor(query, "cursor", hub.partitions.size)
    val page = Parameters.time(query, "fromTime").fold(search.backward(cursor))(search.forward(_, cursor))
    reply(page.events, if (page.next.isEmpty) ujson.Null else Parameters.cursorText(page.next))
  }

  private def page(id: String, log: PartitionLog, query: Map[String, String]): Response = {
    Parameters.check(query, "from", "fromTime", "before", "limit", "contains")
    val search = new EventSearch(id, log, limit(query), contains(query), BodyInList)
    val found =
      (Parameters.long(query, "from"), Parameters.time(query, "fromTime"), Parameters.long(query, "before")) match {
        case (Some(from), None, None) => search.forward(from)
        case (None, Some(time), None) =>
          search.forward(log.sequenceNumberAt(StartingPoint.EnqueuedTime(time, inclusive = true)))
        case (None, None, before) => search.backward(before.getOrElse(Long.MaxValue))
        case _ =>
          throw BadRequest("Give from=N or fromTime=T (oldest first), or before=N (newest first), not more than one.")
      }
    reply(found.events, found.next.fold[ujson.Value](ujson.Null)(HubJson.number))
  }

  private def one(id: String, log: PartitionLog, text: String): Response = {
    val found = text.toLongOption.flatMap(number =>
      new EventSearch(id, log, 1, None).forward(number).events.headOption
        .filter(_.position.sequenceNumber == number)
    )
    found.fold(noEvent(id, text))(view => Response.json(200, new SchemaBodies(schemas).json(view)))
  }

  private def reply(events: Seq[EventView], next: ujson.Value): Response = {
    val bodies = new SchemaBodies(schemas)
    Response.json(200, ujson.Obj("events" -> ujson.Arr.from(events.map(bodies.json)), "next" -> next))
  }

  /** Stores a copy of an event in the same partition: the same message with new broker annotations. */
  private def resend(id: String, log: PartitionLog, text: String): Response =
    text.toLongOption.flatMap(log.read).fold(noEvent(id, text)) { entry =>
      Response.json(201, new AcceptedEvent(id, log, entry.payload).store())
    }

  private def noEvent(id: String, text: String): Response =
    Response.error(404, s"Partition $id has no event '$text'; it may have been removed.")

  /** One event, or a list of events that are stored in order. */
  private def send(hub: EventHub, body: Array[Byte]): Response = {
    val json = Try(ExactJson.read(body)).getOrElse(throw BadRequest("The request's body is not JSON."))
    // All are checked before the first is stored, so that a list with a wrong event stores nothing.
    val checked = json.arrOpt.fold(Seq(json))(_.toSeq).map(value => check(hub, JsonEvent.parse(value)))
    checked.collectFirst { case Left(refusal) => refusal }.getOrElse {
      val stored = checked.collect { case Right(event) => event.store() }
      Response.json(201, if (json.arrOpt.isDefined) ujson.Obj("events" -> ujson.Arr.from(stored)) else stored.head)
    }
  }

  private def check(hub: EventHub, event: JsonEvent): Either[Response, AcceptedEvent] = {
    val message = event.encoded
    val id = event.partition.orElse(event.partitionKey.map(EventAppender.partitionOf(hub, _)))
      .getOrElse(ThreadLocalRandom.current.nextInt(hub.partitions.length).toString)
    if (message.length > maxMessageBytes)
      Left(Response.error(413, s"The event has ${message.length} bytes; at most $maxMessageBytes are allowed."))
    else hub.partition(id).map(new AcceptedEvent(id, _, message)).toRight(HubRoutes.unknownPartition(hub, id))
  }
}

private[localhub] object EventRoutes {

  /** An event that its partition can store. */
  private final class AcceptedEvent(partition: String, log: PartitionLog, message: Array[Byte]) {
    def store(): ujson.Obj = {
      val position = EventAppender.append(log, message)
      ujson.Obj(
        "partition" -> partition,
        "sequenceNumber" -> HubJson.number(position.sequenceNumber),
        "offset" -> position.offset.toString
      )
    }
  }

  private val MaxLimit = 1000
  private val BodyInList = 2000

  private def limit(query: Map[String, String]): Int = Parameters.long(query, "limit").getOrElse(50L) match {
    case count if count >= 1 && count <= MaxLimit => count.toInt
    case count => throw BadRequest(s"limit is $count; expected 1 to $MaxLimit.")
  }

  private def contains(query: Map[String, String]): Option[String] = query.get("contains").filter(_.nonEmpty)
}
