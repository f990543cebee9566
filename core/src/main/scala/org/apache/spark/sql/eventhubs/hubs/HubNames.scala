package org.apache.spark.sql.eventhubs.hubs

import scala.util.{Failure, Success}

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.listing.HubDirectory
import org.apache.spark.eventhubs.options.{HubSelection, ReadSettings}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.eventhubs.planning.InBackground
import org.apache.spark.util.Clock

/** The names of the hubs that a stream reads. With a pattern, they change while it runs. */
private[hubs] sealed trait HubNames {

  /** In alphabetical order. */
  def now: Seq[String]

  /** Whether the query's options select a hub of this name, in any case. */
  def includes(hub: String): Boolean

  /** Names that appeared since and that the query does not read yet. */
  def appeared(): Seq[String] = Nil

  /** From now on the query reads this hub. */
  def join(hub: String): Unit = ()

  /** The query reads this hub no longer. */
  def leave(hub: String): Unit = ()

  /** No other hub joins from now on. */
  def fix(): Unit = ()
}

private[hubs] object HubNames {

  /** @param known hubs that the query read before */
  def of(settings: ReadSettings, directory: HubDirectory, known: => Seq[String], clock: Clock): HubNames =
    settings.hubs match {
      case pattern: HubSelection.Matching => new MatchingNames(settings, pattern, directory, known, clock)
      case HubSelection.Listed(names) => new FixedNames(names)
    }
}

private[hubs] final class FixedNames(override val now: Seq[String]) extends HubNames {
  override def includes(hub: String): Boolean = now.exists(_.equalsIgnoreCase(hub))
}

/**
 * The hubs that match a pattern. The namespace is asked for the first time when the names are needed, and then by
 * [[appeared]]. A failure of that later question does not stop the query, because it loses nothing.
 *
 * @param known hubs that the query read before; they are included while they are missing
 */
private[hubs] final class MatchingNames(
    settings: ReadSettings,
    pattern: HubSelection.Matching,
    directory: HubDirectory,
    known: => Seq[String],
    clock: Clock
) extends HubNames
    with Logging {

  import MatchingNames._

  private var joined = Option.empty[Seq[String]]
  private var asking = Option.empty[InBackground[Seq[String]]]
  private var askedAt = 0L
  private var isFixed = false
  private var reported = Option.empty[String]

  override def now: Seq[String] = synchronized {
    joined.getOrElse {
      askedAt = clock.getTimeMillis()
      val names = SelectedHubs.matching(settings, pattern, directory, known)
      joined = Some(names)
      names
    }
  }

  override def includes(hub: String): Boolean = pattern.includes(hub)

  /**
   * Asks the namespace at most once in an interval. Waits shortly for the answer, once: a late one counts when it has
   * come, and until then holds up no batch.
   */
  override def appeared(): Seq[String] = synchronized {
    val before = now
    if (isFixed) Nil
    else {
      val isDue = asking.isEmpty && clock.getTimeMillis() - askedAt >= pattern.refreshInterval.toMillis
      if (isDue) {
        askedAt = clock.getTimeMillis()
        asking = Some(InBackground(directory.names()))
      }
      asking.flatMap(answer(_, if (isDue) LongestWaitMillis else 0L)).toSeq.flatten
        .filter(name => pattern.includes(name) && !before.exists(_.equalsIgnoreCase(name)))
    }
  }

  override def join(hub: String): Unit = synchronized { joined = Some(SelectedHubs.sorted(now :+ hub)) }

  override def leave(hub: String): Unit = synchronized { joined = Some(now.filterNot(_.equalsIgnoreCase(hub))) }

  override def fix(): Unit = synchronized { isFixed = true }

  private def answer(question: InBackground[Seq[String]], waitMillis: Long): Option[Seq[String]] =
    question.resultWithin(waitMillis).flatMap { result =>
      asking = None
      result match {
        case Success(names) =>
          reported = None
          Some(names)
        case Failure(known: EventHubsException) =>
          report(known.getMessage)
          None
        case Failure(other) => throw other
      }
    }

  /** Once for each problem, because the next question may fail in the same way. */
  private def report(problem: String): Unit = if (!reported.contains(problem)) {
    reported = Some(problem)
    logWarning(s"The query continues with its event hubs, and does not see new ones for now: $problem")
  }
}

private object MatchingNames {
  val LongestWaitMillis = 2000L
}
