package org.apache.spark.eventhubs

import org.apache.spark.internal.Logging

/**
 * One factory per error condition. The texts are in `error/eventhubs-error-conditions.json`. Events that cannot be
 * sent, the checkpoint store and exactly-once writes have factories of their own.
 */
private[spark] object EventHubsErrors extends Logging {

  def unknownOption(key: String, nearest: Option[String]): EventHubsException = {
    val suggestion = nearest.fold("See docs/options.md for all options.")(near => s"Did you mean '$near'?")
    new EventHubsException(ErrorCondition.UnknownOption, Map("key" -> key, "suggestion" -> suggestion))
  }

  /** @param instead what to do here, without its full stop */
  def kafkaOption(key: String, instead: String): EventHubsException =
    new EventHubsException(
      ErrorCondition.UnknownOption,
      Map("key" -> key, "suggestion" -> s"Spark's Kafka connector has it. Here: $instead.")
    )

  def invalidOption(key: String, raw: String, expected: String): EventHubsException =
    new EventHubsException(ErrorCondition.InvalidOption, Map("key" -> key, "value" -> raw, "expected" -> expected))

  def missingOption(key: String, how: String): EventHubsException =
    new EventHubsException(ErrorCondition.MissingOption, Map("key" -> key, "how" -> how))

  /** @param what both options with their values, without secrets */
  def conflictingOptions(what: String, how: String): EventHubsException =
    new EventHubsException(ErrorCondition.ConflictingOptions, Map("what" -> what, "how" -> how))

  def unsupportedOption(key: String, instead: String): EventHubsException =
    new EventHubsException(ErrorCondition.UnsupportedOption, Map("key" -> key, "instead" -> instead))

  /** @param problem continues "The connection string"; shows no part of it that may be secret */
  def invalidConnectionString(problem: String): EventHubsException =
    new EventHubsException(ErrorCondition.InvalidConnectionString, Map("problem" -> problem))

  /** Also names the role that has the claim which the service misses. */
  def authentication(hub: EventHubName, doing: String, said: String, cause: Throwable): EventHubsException = {
    val role = RolesOfClaims.collectFirst {
      case (claim, role) if said.contains(s"'$claim' claim") => s"; the role 'Azure Event Hubs Data $role' has it"
    }
    service(ErrorCondition.Authentication, hub, doing, said + role.mkString, cause)
  }

  private val RolesOfClaims = Seq("Listen" -> "Receiver", "Send" -> "Sender", "Manage" -> "Owner")

  def notFound(hub: EventHubName, doing: String, said: String, cause: Throwable): EventHubsException =
    service(ErrorCondition.NotFound, hub, doing, said, cause)

  def unreachable(hub: EventHubName, doing: String, said: String, cause: Throwable): EventHubsException = {
    val advice =
      if (hub.namespace == "localhost") "Start the local hub, or check its port in the connection string."
      else
        "Check the endpoint, the port and name resolution. The network must allow AMQP on port 5671, or port 443 with " +
          "'eventhubs.transport' = 'amqpWebSockets'."
    service(ErrorCondition.Unreachable, hub, doing, said, cause, "advice" -> advice)
  }

  /** The service that signs in does not answer. The hub itself may be reachable. */
  def unreachableSignIn(hub: EventHubName, doing: String, said: String, cause: Throwable): EventHubsException = {
    val advice = "The driver and every executor must reach the sign-in service: check its address, name resolution, " +
      "and the proxy."
    service(ErrorCondition.Unreachable, hub, doing, said, cause, "advice" -> advice)
  }

  /** @param host with port; `problem` is the certificate's, as part of a sentence */
  def certificate(
      hub: EventHubName,
      doing: String,
      host: String,
      problem: String,
      cause: Throwable
  ): EventHubsException = new EventHubsException(
    ErrorCondition.Certificate,
    where(hub) ++ Map("doing" -> doing, "host" -> host, "problem" -> problem),
    Some(cause)
  )

  /** @param proxy address of the proxy and what names it */
  def proxy(
      hub: EventHubName,
      doing: String,
      proxy: String,
      said: String,
      cause: Option[Throwable]
  ): EventHubsException = new EventHubsException(
    ErrorCondition.Proxy,
    where(hub) ++ Map("doing" -> doing, "proxy" -> proxy, "said" -> said),
    cause
  )

  /**
   * The event hubs of a namespace cannot be listed.
   *
   * @param hub     whose name is the query's pattern
   * @param address of the request
   */
  def hubList(
      condition: ErrorCondition.HubList,
      hub: EventHubName,
      address: String,
      said: String,
      cause: Throwable
  ): EventHubsException = {
    logDebug(s"The list of event hubs fails at $address", cause)
    new EventHubsException(
      condition,
      Map("namespace" -> hub.namespace, "pattern" -> hub.name, "address" -> address, "said" -> said),
      Some(cause)
    )
  }

  /** @param existing the names of the namespace's event hubs */
  def noMatchingHub(hub: EventHubName, existing: Seq[String]): EventHubsException = {
    val shown = existing.take(LongestList).map(name => s"'$name'").mkString(", ")
    val all = if (existing.size > LongestList) s"$shown and ${existing.size - LongestList} others" else shown
    new EventHubsException(
      ErrorCondition.NoMatchingHub,
      Map(
        "namespace" -> hub.namespace,
        "pattern" -> hub.name,
        "existing" -> (if (existing.isEmpty) "no event hub" else all)
      )
    )
  }

  private val LongestList = 10

  def timeout(hub: EventHubName, doing: String, said: String, cause: Throwable): EventHubsException =
    service(ErrorCondition.Timeout, hub, doing, said, cause)

  def throttled(hub: EventHubName, doing: String, said: String, cause: Throwable): EventHubsException =
    service(ErrorCondition.Throttled, hub, doing, said, cause)

  def quotaExceeded(hub: EventHubName, doing: String, said: String, cause: Throwable): EventHubsException =
    service(ErrorCondition.QuotaExceeded, hub, doing, said, cause)

  def receiverDisconnected(hub: EventHubName, doing: String, said: String, cause: Throwable): EventHubsException =
    service(ErrorCondition.ReceiverDisconnected, hub, doing, said, cause)

  /** @param owner as the store names it */
  def ownershipHeld(hub: EventHubName, consumerGroup: String, partitionId: Int, owner: String): EventHubsException =
    ownership(ErrorCondition.Ownership.Held, hub, consumerGroup, partitionId, "owner" -> owner, None)

  /** @param how continues "the ownership of partition 3 was lost:" */
  def ownershipLost(
      hub: EventHubName,
      consumerGroup: String,
      partitionId: Int,
      how: String,
      cause: Option[Throwable] = None
  ): EventHubsException = ownership(ErrorCondition.Ownership.Lost, hub, consumerGroup, partitionId, "how" -> how, cause)

  /** @param problem continues "The ownership blob cannot be used:" */
  def malformedOwnership(container: String, blob: String, problem: String): EventHubsException =
    new EventHubsException(
      ErrorCondition.Ownership.Malformed,
      Map("container" -> container, "blob" -> blob, "problem" -> problem)
    )

  private def ownership(
      condition: ErrorCondition.Ownership,
      hub: EventHubName,
      consumerGroup: String,
      partitionId: Int,
      fact: (String, String),
      cause: Option[Throwable]
  ): EventHubsException = new EventHubsException(
    condition,
    where(hub) ++ Map("consumerGroup" -> consumerGroup, "partition" -> partitionId.toString, fact),
    cause
  )

  def service(hub: EventHubName, doing: String, said: String, cause: Throwable): EventHubsException =
    service(ErrorCondition.Service, hub, doing, said, cause)

  /** @param cause what the connection's thread met in this JVM */
  def receiveFailed(hub: EventHubName, doing: String, cause: Throwable): EventHubsException =
    service(ErrorCondition.ReceiveFailed, hub, doing, cause.toString, cause)

  def dataLoss(hub: EventHubName, consumerGroup: String, loss: DataLoss): EventHubsException =
    new EventHubsException(
      loss.kind,
      Map(
        "hub" -> hub.name,
        "namespace" -> hub.namespace,
        "consumerGroup" -> consumerGroup,
        "partition" -> loss.partitionId.toString,
        "events" -> loss.events,
        "fromSeqNo" -> loss.fromSeqNo.toString,
        "facts" -> loss.details
      ) ++ Option.when(loss.isCounted)("untilSeqNo" -> loss.untilSeqNo.toString)
    )

  /** A geo-replicated hub refuses a start at an offset that is a whole number. */
  def offsetOfReplicatedHub(
      hub: EventHubName,
      partitionId: Int,
      position: EventPosition,
      cause: Option[Throwable] = None
  ): EventHubsException = {
    val offset = position match {
      case EventPosition.AtOffset(value, _) => value
      case other => other.toString
    }
    new EventHubsException(
      ErrorCondition.OffsetNotAccepted,
      where(hub) ++ Map("partition" -> partitionId.toString, "offset" -> offset),
      cause
    )
  }

  /**
   * Several links delivered nothing, although the event is retained, as far as the service says.
   *
   * @param hint what else it may be, as the end of a sentence
   */
  def silent(hub: EventHubName, doing: String, seqNo: Long, seconds: Long, hint: String): EventHubsException =
    new EventHubsException(
      ErrorCondition.Timeout,
      Map(
        "hub" -> hub.name,
        "namespace" -> hub.namespace,
        "doing" -> doing,
        "said" -> s"event $seqNo did not arrive within $seconds s, and no answer says that it is gone$hint"
      )
    )

  /** @param seqNo the expected sequence number */
  def malformedEvent(hub: EventHubName, partitionId: Int, seqNo: Long, cause: Throwable): EventHubsException =
    new EventHubsException(
      ErrorCondition.MalformedEvent,
      where(hub) ++
        Map("partition" -> partitionId.toString, "seqNo" -> seqNo.toString, "problem" -> cause.getMessage),
      Some(cause)
    )

  def malformedOffset(text: String, cause: Throwable): EventHubsException =
    new EventHubsException(
      ErrorCondition.MalformedOffset,
      Map("text" -> text.take(200), "reason" -> String.valueOf(cause.getMessage)),
      Some(cause)
    )

  /** The file that identifies the hub of a checkpoint cannot be read. */
  def malformedIdentity(path: String, text: String, problem: String): EventHubsException =
    new EventHubsException(
      ErrorCondition.MalformedIdentity,
      Map("path" -> path, "text" -> text.take(200), "problem" -> problem)
    )

  def unsupportedLogVersion(path: String, found: Int, supported: Int): EventHubsException =
    new EventHubsException(
      ErrorCondition.UnsupportedLogVersion,
      Map("path" -> path, "found" -> found.toString, "supported" -> supported.toString)
    )

  /** @param recorded the event hub of the checkpoint */
  def otherHub(path: String, recorded: String, configured: EventHubName): EventHubsException =
    new EventHubsException(
      ErrorCondition.CheckpointOfAnotherHub,
      Map("path" -> path, "recorded" -> recorded, "configured" -> configured.toString)
    )

  /**
   * Refuses a checkpoint without the connector's identity file: only its offsets name what they are of, and those of
   * Spark's Kafka source have the same form.
   */
  def otherOffsets(path: String, names: Iterable[String], configured: EventHubName): EventHubsException = {
    val recorded = names.toSeq.distinct.sorted.mkString(", ")
    otherHub(path, s"$recorded, or by Spark's Kafka source for topic $recorded", configured)
  }

  /** @param left next sequence number of each partition that the checkpoint has and the option excludes */
  def partitionsNarrowed(hub: EventHubName, left: Map[Int, Long]): EventHubsException = {
    val known = left.toSeq.sorted.map { case (partition, seqNo) =>
      s"partition $partition until sequence number $seqNo"
    }
    new EventHubsException(ErrorCondition.PartitionsNarrowed, where(hub) + ("left" -> known.mkString(", ")))
  }

  /** @param start position as a sequence number or as the user wrote it; the same for `end` */
  def startAfterEnd(hub: EventHubName, partitionId: Int, start: String, end: String): EventHubsException =
    new EventHubsException(
      ErrorCondition.StartAfterEnd,
      where(hub) ++ Map("partition" -> partitionId.toString, "start" -> start, "end" -> end)
    )

  def positionBeyondEnd(hub: EventHubName, partitionId: Int, seqNo: Long, latest: Long): EventHubsException =
    new EventHubsException(
      ErrorCondition.PositionBeyondEnd,
      Map(
        "hub" -> hub.name,
        "namespace" -> hub.namespace,
        "partition" -> partitionId.toString,
        "seqNo" -> seqNo.toString,
        "latest" -> latest.toString
      )
    )

  def invalidSchema(problem: String, expected: String): EventHubsException =
    new EventHubsException(ErrorCondition.InvalidWriteSchema, Map("problem" -> problem, "expected" -> expected))

  def jarAddedLate(): EventHubsException = new EventHubsException(ErrorCondition.JarAddedLate, Map.empty)

  /** @param key of the option that needs Spark's V1 sink interface */
  def notForTables(key: String): EventHubsException =
    new EventHubsException(ErrorCondition.NotForTables, Map("key" -> key))

  def unsupportedSaveMode(mode: String): EventHubsException =
    new EventHubsException(ErrorCondition.UnsupportedSaveMode, Map("mode" -> mode))

  /** Names the event hub in an error's parameters. */
  def where(hub: EventHubName): Map[String, String] = Map("hub" -> hub.name, "namespace" -> hub.namespace)

  private def service(
      condition: ErrorCondition,
      hub: EventHubName,
      doing: String,
      said: String,
      cause: Throwable,
      more: (String, String)*
  ) = {
    logDebug(s"$condition while $doing", cause)
    new EventHubsException(
      condition,
      where(hub) ++ Map("doing" -> doing, "said" -> said) ++ more,
      Some(cause)
    )
  }
}
