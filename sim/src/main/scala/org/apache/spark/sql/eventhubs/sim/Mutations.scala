package org.apache.spark.sql.eventhubs.sim

/**
 * A defect that is put into a copy of the connector's code, to see whether the simulation finds it.
 *
 * @param name what the connector then does wrong
 * @param file below core/src/main/scala/org/apache/spark
 * @param find occurs once in the file
 */
private[sim] final case class Mutation(name: String, file: String, find: String, replace: String)

/** The defects were written before the first search. */
private[sim] object Mutations {

  private val Read = "eventhubs/rdd"
  private val Receive = "eventhubs/receive"
  private val Service = "eventhubs/service"
  private val Planning = "sql/eventhubs/planning"

  val all: Seq[Mutation] = Seq(
    Mutation(
      "a gap is believed without a second link",
      s"$Read/ReadRules.scala",
      "if (before.isEmpty) Seq(Reopen(next))",
      "if (false) Seq(Reopen(next))"
    ),
    Mutation(
      "a single answer ends a doubt",
      s"$Service/HubRules.scala",
      "doubt.answers >= Enough && nowMillis - doubt.sinceMillis >= agreeMillis",
      "doubt.answers >= 1"
    ),
    Mutation(
      "one promotion of a region is not noticed",
      s"$Service/HubRules.scala",
      "if epoch > known)",
      "if epoch > known + 1)"
    ),
    Mutation(
      "a promoted region counts as a recreated hub",
      s"$Service/HubRules.scala",
      "if (found.epoch.exists(epoch => known.epoch.forall(_ <= epoch)))",
      "if (false && found.epoch.exists(epoch => known.epoch.forall(_ <= epoch)))"
    ),
    Mutation(
      "the hub of a new link is not checked",
      s"$Read/SequenceReader.scala",
      "if (receiver.isLinkVerified) None",
      "if (receiver.isLinkVerified || true) None"
    ),
    Mutation(
      "the epoch of events is not checked",
      s"$Read/SequenceReader.scala",
      "acceptedEpoch == Int.MaxValue || current.epoch <= acceptedEpoch",
      "true || acceptedEpoch == Int.MaxValue || current.epoch <= acceptedEpoch"
    ),
    Mutation(
      "events before the requested one are delivered",
      s"$Receive/CachedEventHubsReceiver.scala",
      "if (seqNo < expected) advanceWithin(stopped, millis)",
      "if (seqNo < expected - 1000000) advanceWithin(stopped, millis)"
    ),
    Mutation(
      "the first event after a range is delivered with it",
      s"$Read/ReadRules.scala",
      "val isInRange = seqNo < end",
      "val isInRange = seqNo <= end"
    ),
    Mutation(
      "expired events count as unread start",
      s"$Read/ReadRules.scala",
      "private def isUnreadStart: Boolean = range.startsAtEarliest && !hasRead",
      "private def isUnreadStart: Boolean = true || range.startsAtEarliest && !hasRead"
    ),
    Mutation(
      "a recreated hub is not read from its beginning",
      s"$Planning/HubIdentityTracker.scala",
      """        snapshot.generation,
        Some(start.json),""",
      """        snapshot.generation,
        None,"""
    ),
    Mutation(
      "a recreated hub is not reported",
      s"$Planning/HubIdentityTracker.scala",
      "policy.report(DataLoss.recreated(partition, seqNo, earliest, facts))",
      "if (partition < 0) policy.report(DataLoss.recreated(partition, seqNo, earliest, facts))"
    ),
    Mutation(
      "numbers that a promoted region uses again are passed over",
      s"$Planning/PromotionDetector.scala",
      "promoted.map(found => found.partition -> found.continuesAt)",
      "promoted.map(found => found.partition -> positions(found.partition))"
    ),
    Mutation(
      "the promotion of a region without new events is reported again",
      s"$Planning/PromotionDetector.scala",
      "Some(Promotion(partition, bounds.latest, known + 1, facts))",
      "Some(Promotion(partition, bounds.latest, known, facts))"
    ),
    Mutation(
      "the search for the first event of an epoch ends one event early",
      s"$Planning/EpochSearch.scala",
      "if (later - old <= 1) later",
      "if (later - old <= 1) old"
    ),
    Mutation(
      "the first batch of a recreated hub may end where it starts",
      s"$Planning/HubPlanner.scala",
      "if (end.json != start.json || !identities.restartsAfter(start) && !identities.isWithheldAt(start)) end",
      "if (true) end"
    ),
    Mutation(
      "a repeated batch forgets that its hub was recreated",
      s"$Planning/HubPlanner.scala",
      "val starts = identities.restartOf(start).getOrElse(known)",
      "val starts = known"
    ),
    Mutation(
      "partitions that one answer leaves out count as removed",
      s"$Planning/PartitionInfoReader.scala",
      "if (leftOut.isEmpty) found",
      "if (true || leftOut.isEmpty) found"
    ),
    Mutation(
      "a link that begins beyond the end fails the task",
      s"$Receive/LinkRecovery.scala",
      "if (!isBeyondEnd && (!mayPass || isOutOfTime))",
      "if (!mayPass || isOutOfTime)"
    ),
    Mutation(
      "the first answer that no event follows is believed",
      s"$Receive/EmptyAnswers.scala",
      """    if (!hasFirst) {
      hasFirst = true""",
      """    if (!hasFirst) {
      agree = true
      hasFirst = true"""
    ),
    Mutation(
      "a missing tail is passed without asking",
      s"$Read/ReadRules.scala",
      "Some(Ask(isDrained = true))",
      "passTail()"
    ),
    Mutation(
      "the silence of a partition that is down counts as its end",
      s"$Read/SequenceReader.scala",
      "if (!(isDrained && listened && hasEnd) || receiver.delivers(stopped))",
      "if (!(isDrained && listened && hasEnd) || true)"
    ),
    Mutation(
      "the rest of a range of another hub is not given up",
      s"$Read/ReadRules.scala",
      "if (hasEnd) Seq(lose(gone.kind, end, gone.facts))",
      "if (hasEnd) Seq(lose(gone.kind, math.min(end, next + 1), gone.facts))"
    ),
    Mutation(
      "a generation that was verified once covers all later events",
      "eventhubs/executor/VerifiedGenerations.scala",
      "enqueuedMillis.get((connection, generation)).exists(enqueued <= _)",
      "enqueuedMillis.get((connection, generation)).exists(enqueued <= _ + 1000000000L)"
    ),
    Mutation(
      "an interrupted replacement of a checkpoint file is not finished",
      s"$Planning/CheckpointFile.scala",
      "case Missing => recoverDraft()",
      "case Missing => Missing"
    ),
    Mutation(
      "the driver believes a single answer",
      s"$Planning/BatchStarts.scala",
      "val found = info.confirmed(asked, knownOf)",
      "val found = asked"
    ),
    Mutation(
      "an added partition starts at its first retained event",
      s"$Planning/BatchStarts.scala",
      "identities.joinedAt.get(partition).orElse(if (areLeftOut) None else Some(0L))",
      "identities.joinedAt.get(partition).orElse(if (areLeftOut || true) None else Some(0L))"
    ),
    Mutation(
      "expired events before a gap are taken for a gap",
      s"$Read/ReadRules.scala",
      "val expired = if (earliest > next) Seq(expire(math.min(earliest, until), earliest)) else Nil",
      "val expired = if (earliest < 0) Seq(expire(math.min(earliest, until), earliest)) else Nil"
    ),
    Mutation(
      "answers about two hubs are mixed",
      s"$Planning/PartitionInfoReader.scala",
      "val isSame = hub.generation == before.generation &&",
      "val isSame = hub.generation != null &&"
    ),
    Mutation(
      "a link counts as empty although events wait in it",
      s"$Receive/CachedEventHubsReceiver.scala",
      "link.partitionEnd.isReached(expected) && link.queue.isEmpty && givenBack.isEmpty",
      "link.partitionEnd.isReached(expected)"
    ),
    Mutation(
      "one retained event is lost with the expired ones",
      s"$Read/ReadRules.scala",
      "val earliest = math.min(bounds.earliest, end)",
      "val earliest = math.min(if (bounds.earliest > next) bounds.earliest + 1 else bounds.earliest, end)"
    ),
    Mutation(
      "a recreated hub restarts again when it reaches the old hub's last offset",
      s"$Planning/HubIdentityTracker.scala",
      "if (!restarts && identity.restartedAfter.nonEmpty) save(afterRestart(identity))",
      "if (false && identity.restartedAfter.nonEmpty) save(afterRestart(identity))"
    )
  )
}
