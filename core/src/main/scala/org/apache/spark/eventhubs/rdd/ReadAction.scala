package org.apache.spark.eventhubs.rdd

import org.apache.spark.eventhubs.{DataLoss, EventHubsException}

/** What [[ReadRules]] want a reader to do. */
private[rdd] sealed trait ReadAction

private[rdd] object ReadAction {

  /** Fails or counts, as the query wants. */
  final case class Report(loss: DataLoss) extends ReadAction

  /** Counts events that expired before the first read of a start `earliest`. */
  final case class SkipAtStart(from: Long, until: Long) extends ReadAction

  /** Logs why a read without an end is over. */
  final case class Leave(facts: String) extends ReadAction

  /** Opens another link, which begins at this number. */
  final case class Reopen(seqNo: Long) extends ReadAction

  /** Continues at this number over the same link, which brings no event before it. */
  final case class SkipTo(seqNo: Long) extends ReadAction

  /** Asks about the partition and its hub. The verdict is an input of [[ReadRules.answer]]. */
  final case class Ask(isDrained: Boolean) extends ReadAction

  /** Asks whether the link has got all events that exist. */
  case object Drain extends ReadAction

  /** Fails the task: events that exist have not come in time. @param unanswered why the last question has no answer */
  final case class Fail(silentMillis: Long, unanswered: Option[EventHubsException]) extends ReadAction
}
