package localhub.amqp.link

import java.util.{Date, LinkedHashMap}

import org.apache.qpid.proton.amqp.messaging.AmqpValue

import localhub.amqp.AmqpFailure
import localhub.auth.{ResourcePath, SasAuthority}
import localhub.log.PartitionLog
import localhub.node.EventHub

/** Answers what there is to know about a hub and its partitions. */
private[amqp] object ManagementNode {

  private val HubType = "com.microsoft:eventhub"
  private val PartitionType = "com.microsoft:partition"

  /** What the service says of a partition that never had an event: 0001-01-01. */
  private val NeverMillis = -62135596800000L

  def answer(host: LinkHost)(request: Request, reply: Answer => Unit): Unit = {
    host.server.counters.managementCalls.increment()
    reply(read(host, request))
  }

  private def read(host: LinkHost, request: Request): Answer =
    (request.property("operation"), request.property("name"), request.property("type")) match {
      case (Some("READ"), Some(name), Some(kind)) =>
        val found = for {
          _ <- authorize(host, request, name)
          hub <- host.server.namespace.find(name).toRight(AmqpFailure.noHub(name))
          values <- read(host, hub, kind, request.property("partition"))
        } yield values
        found.fold(refusal, values => Answer(200, "OK", body = Some(new AmqpValue(values))))
      case _ =>
        Answer(400, "Expected the application properties operation=READ, name and type.", Some("amqp:not-allowed"))
    }

  // Java sends its requests before it has put any token on the connection, and carries the token in each of them.
  private def authorize(host: LinkHost, request: Request, hub: String): Either[AmqpFailure, Unit] =
    request.property("security_token") match {
      case Some(token) =>
        host.server.authority.authorize(SasAuthority.TokenType, token, hub) match {
          case Right(_) => Right(())
          case Left(failure) => Left(AmqpFailure("amqp:unauthorized-access", failure.description))
        }
      case None =>
        val now = host.server.clock.instant()
        val known = Seq(hub, s"$hub/$$management").exists(path => host.grants.know(ResourcePath(path), now))
        Either.cond(known, (), AmqpFailure.unauthorized("Manage,Listen,Send", hub))
    }

  private def refusal(failure: AmqpFailure): Answer = {
    val status = failure.condition match {
      case "amqp:unauthorized-access" => 401
      case "amqp:not-found" => 404
      case _ => 400
    }
    Answer(status, failure.description, Some(failure.condition))
  }

  private def read(
      host: LinkHost,
      hub: EventHub,
      kind: String,
      partition: Option[String]
  ): Either[AmqpFailure, LinkedHashMap[String, AnyRef]] = (kind, partition) match {
    case (HubType, _) => Right(describe(hub))
    case (PartitionType, Some(id)) =>
      hub.partition(id)
        .map(log => describe(hub, id, log, host.server.clock.millis()))
        .toRight(AmqpFailure.noPartition(hub.name, id, hub.partitions.length))
    case _ =>
      Left(AmqpFailure(
        "com.microsoft:argument-error",
        s"'$kind' cannot be read; expected $HubType, or $PartitionType with a partition."
      ))
  }

  private def describe(hub: EventHub): LinkedHashMap[String, AnyRef] = fields(
    "name" -> hub.name,
    "type" -> HubType,
    "created_at" -> Date.from(hub.createdAt),
    "partition_count" -> Int.box(hub.partitions.length),
    // Java insists on an AMQP array here.
    "partition_ids" -> hub.partitions.indices.map(_.toString).toArray,
    "georeplication_factor" -> Int.box(1)
  )

  private def describe(hub: EventHub, id: String, log: PartitionLog, nowMillis: Long): LinkedHashMap[String, AnyRef] = {
    val bounds = log.bounds
    val virgin = bounds.lastSequenceNumber < 0
    fields(
      "name" -> hub.name,
      "type" -> PartitionType,
      "partition" -> id,
      "begin_sequence_number" -> Long.box(bounds.beginSequenceNumber),
      "last_enqueued_sequence_number" -> Long.box(bounds.lastSequenceNumber),
      "last_enqueued_offset" -> bounds.lastOffset.toString,
      "last_enqueued_time_utc" -> new Date(if (virgin) NeverMillis else bounds.lastEnqueuedMillis),
      "is_partition_empty" -> Boolean.box(bounds.isEmpty),
      "runtime_info_retrieval_time_utc" -> new Date(nowMillis)
    )
  }

  private def fields(entries: (String, AnyRef)*): LinkedHashMap[String, AnyRef] = {
    val map = new LinkedHashMap[String, AnyRef]
    entries.foreach { case (key, value) => map.put(key, value) }
    map
  }
}
