package localhub.amqp.link

import java.util.{Date, LinkedHashMap}

import org.apache.qpid.proton.amqp.messaging.AmqpValue
import org.slf4j.LoggerFactory

import localhub.amqp.fault.{FaultAction, FaultScope, Occasion}
import localhub.amqp.server.AmqpFailure
import localhub.auth.ResourcePath
import localhub.log.{LogBounds, PartitionLog}
import localhub.namespace.EventHub

/** Answers requests for hub and partition properties. */
private[amqp] object ManagementNode {

  private val log = LoggerFactory.getLogger(getClass)

  private val HubType = "com.microsoft:eventhub"
  private val PartitionType = "com.microsoft:partition"

  private val EpochFields = Seq("begin_sequence_number_epoch", "last_enqueued_sequence_number_epoch")

  private val AnyClaim = "Manage,Listen,Send"

  /** The service's epoch for events of a hub that is not geo-replicated. */
  private val NotReplicated = -1

  /** The service's time for a partition that never had an event: 0001-01-01. */
  private val NeverMillis = -62135596800000L

  def answer(context: LinkContext)(request: Request, reply: Answer => Unit): Unit = {
    context.server.counters.managementCalls.increment()
    val answered =
      if (context.server.managementRequests.admit()) read(context, request)
      else Some(refusal(AmqpFailure.serverBusy(request.property("name").getOrElse(""))))
    answered.foreach(reply)
  }

  /** None when a fault loses the answer. */
  private def read(context: LinkContext, request: Request): Option[Answer] =
    (request.property("operation"), request.property("name"), request.property("type")) match {
      case (Some("READ"), Some(name), Some(kind)) =>
        val found = for {
          _ <- authorize(context, request, name)
          hub <- context.server.namespace.find(name).toRight(AmqpFailure.noHub(name))
          values <- read(context, hub, kind, request.property("partition"))
        } yield values
        found.fold(
          failure => Some(refusal(failure)),
          _.map(values => Answer(200, body = Some(new AmqpValue(values)), operation = Some("READ")))
        )
      case _ =>
        Some(refusal(AmqpFailure.notAllowed("Expected the application properties operation=READ, name and type.")))
    }

  // The Java SDK sends requests before it puts a token on the connection; each request has the token.
  private def authorize(context: LinkContext, request: Request, hub: String): Either[AmqpFailure, Unit] =
    request.property("security_token") match {
      case Some(token) =>
        context.server.tokens.authorizeAny(token, hub, context.hostname) match {
          case Right(grant) if grant.concerns(ResourcePath(hub)) => Right(())
          case Right(_) => Left(AmqpFailure.unauthorized(AnyClaim, hub))
          case Left(failure) =>
            log.warn(s"A token for '$hub' on connection ${context.connectionId} is refused: ${failure.description}")
            Left(AmqpFailure(AmqpFailure.Unauthorized, failure.description))
        }
      case None =>
        val now = context.server.clock.instant()
        val known = Seq(hub, s"$hub/$$management").exists(path => context.grants.hasTokenFor(ResourcePath(path), now))
        Either.cond(known, (), AmqpFailure.unauthorized(AnyClaim, hub))
    }

  private def refusal(failure: AmqpFailure): Answer = {
    val status = failure.condition match {
      case AmqpFailure.Unauthorized => 401
      case AmqpFailure.NotFound => 404
      case AmqpFailure.ServerBusy => 503
      case _ => 400
    }
    Answer(status, Some(failure.text), Some(failure.condition))
  }

  private def read(
      context: LinkContext,
      hub: EventHub,
      kind: String,
      partition: Option[String]
  ): Either[AmqpFailure, Option[LinkedHashMap[String, AnyRef]]] = (kind, partition) match {
    case (HubType, _) =>
      val fault = context.server.faults.at(Occasion.ManageHub, FaultScope(Some(hub.name))).map(_.action)
      val missing = fault.collect { case FaultAction.FewerPartitions(partitions) => partitions }
      Right(unlessLost(fault)(describe(hub, math.max(1, hub.partitions.length - missing.getOrElse(0)))))
    case (PartitionType, Some(id)) =>
      hub.partition(id)
        .map { log =>
          val scope = FaultScope(Some(hub.name), partition = Some(id))
          val fault = context.server.faults.at(Occasion.Manage, scope).map(_.action)
          val hidden = fault.collect { case FaultAction.LagBehind(events) => events }
          val bounds = shortened(log, context.server.managedBounds.of(log), hidden.getOrElse(0))
          val answer = describe(hub, id, log, bounds, context.server.clock.millis())
          if (fault.contains(FaultAction.OlderEpoch)) makeOlder(answer)
          unlessLost(fault)(answer)
        }
        .toRight(AmqpFailure.noPartition(hub.partitions.length))
    case _ =>
      Left(AmqpFailure(
        "com.microsoft:argument-error",
        s"'$kind' cannot be read; expected $HubType, or $PartitionType with a partition."
      ))
  }

  private def unlessLost[A](fault: Option[FaultAction])(answer: A): Option[A] =
    if (fault.contains(FaultAction.LoseAnswer)) None else Some(answer)

  private def makeOlder(answer: LinkedHashMap[String, AnyRef]): Unit = EpochFields.foreach { name =>
    answer.computeIfPresent(name, (_, epoch) => Int.box(math.max(-1, epoch.toString.toInt - 1)))
    ()
  }

  private def describe(hub: EventHub, partitions: Int): LinkedHashMap[String, AnyRef] = fields(
    "name" -> hub.name,
    "type" -> HubType,
    "created_at" -> Date.from(hub.createdAt),
    "partition_count" -> Int.box(partitions),
    // The Java SDK requires an AMQP array here.
    "partition_ids" -> (0 until partitions).map(_.toString).toArray,
    "georeplication_factor" -> Int.box(if (hub.config.geoReplication) 2 else 1)
  )

  private def describe(
      hub: EventHub,
      id: String,
      log: PartitionLog,
      bounds: LogBounds,
      nowMillis: Long
  ): LinkedHashMap[String, AnyRef] = {
    val neverUsed = bounds.lastSequenceNumber < 0
    fields(
      "name" -> hub.name,
      "type" -> PartitionType,
      "partition" -> id,
      "begin_sequence_number" -> Long.box(bounds.beginSequenceNumber),
      "begin_sequence_number_epoch" -> epoch(log, bounds.beginSequenceNumber),
      "last_enqueued_sequence_number_epoch" -> epoch(log, bounds.lastSequenceNumber),
      "last_enqueued_sequence_number" -> Long.box(bounds.lastSequenceNumber),
      "last_enqueued_offset" -> bounds.lastOffset.toString,
      "last_enqueued_time_utc" -> new Date(if (neverUsed) NeverMillis else bounds.lastEnqueuedMillis),
      "is_partition_empty" -> Boolean.box(bounds.isEmpty),
      "runtime_info_retrieval_time_utc" -> new Date(nowMillis)
    )
  }

  /** @param hidden events at the end that the answer does not show */
  private def shortened(log: PartitionLog, bounds: LogBounds, hidden: Int): LogBounds = {
    val last = bounds.lastSequenceNumber - hidden
    if (hidden == 0) bounds
    else
      log.read(last).fold(bounds.copy(lastSequenceNumber = math.max(bounds.beginSequenceNumber - 1, last))) { entry =>
        bounds.copy(
          lastSequenceNumber = last,
          lastOffset = entry.position.offset,
          lastEnqueuedMillis = entry.position.enqueuedMillis
        )
      }
  }

  private def epoch(log: PartitionLog, sequenceNumber: Long): AnyRef =
    Int.box(log.epochAt(sequenceNumber).getOrElse(NotReplicated))

  private def fields(entries: (String, AnyRef)*): LinkedHashMap[String, AnyRef] = {
    val map = new LinkedHashMap[String, AnyRef]
    entries.foreach { case (key, value) => map.put(key, value) }
    map
  }
}
