package org.apache.spark.eventhubs.amqp

import scala.util.matching.Regex

/**
 * Offsets of geo-replicated hubs: texts such as `1:3500:35`. The first number is the epoch, which each promotion of a
 * secondary region raises. In other hubs an offset is a whole number.
 */
private[eventhubs] object ReplicatedOffset {

  private val Text: Regex = """(\d+):(\d+):(\d+)""".r

  def epoch(offset: String): Option[Int] = offset match {
    case Text(epoch, _, _) => epoch.toIntOption
    case _ => None
  }

  /** The numbers of an offset of either kind, for comparisons with offsets of the same kind; None for other texts. */
  def numbers(offset: String): Option[Seq[Long]] = offset match {
    case Text(parts @ _*) => sequence(parts.map(_.toLongOption))
    case _ => offset.toLongOption.map(Seq(_))
  }

  private def sequence(parts: Seq[Option[Long]]): Option[Seq[Long]] =
    if (parts.forall(_.isDefined)) Some(parts.flatten) else None
}
