package org.apache.spark.sql.eventhubs.planning

import java.util.concurrent.CancellationException

import org.apache.spark.util.Clock

/**
 * The last known state of a hub, and the questions for newer ones. Only its callers change the state, one at a time;
 * another thread only asks.
 *
 * @param freshMillis how long a state counts as the newest
 * @param ask         asks the service; given the last state, if there is one, and what says that nobody wants an answer
 */
private[planning] final class SnapshotCache(
    clock: Clock,
    freshMillis: HubSnapshot => Long,
    ask: (Option[HubSnapshot], () => Boolean) => HubSnapshot
) extends AutoCloseable {

  import SnapshotCache._

  /** With the time of its question. */
  private var known = Option.empty[(Long, HubSnapshot)]

  /** Whether the last question has failed. */
  private var hasFailed = false

  /** The question that is asked while callers do something else, with its time. It counts when a caller finds it. */
  @volatile private var asking = Option.empty[(Long, InBackground[HubSnapshot])]
  @volatile private var isClosed = false

  /** @param abandoned checked often while the service is asked */
  def newest(abandoned: () => Boolean): HubSnapshot = synchronized {
    takeAnswer()
    knownFor(1).orElse(awaitAnswer()).getOrElse {
      val now = clock.getTimeMillis()
      hasFailed = true
      keep(now, ask(known.map(_._2), abandoned))
    }
  }

  /**
   * The last state, if it is enough for the caller, while another thread asks for the newest one. A state is enough for
   * some time only, and not after a failed question.
   */
  def newestUnless(isEnough: HubSnapshot => Boolean): HubSnapshot = synchronized {
    takeAnswer()
    def enough = if (hasFailed) None else knownFor(EnoughFor).filter(isEnough)
    knownFor(1).orElse(enough.map { state =>
      if (asking.isEmpty) askInBackground()
      state
    }).getOrElse(newest(Never))
  }

  /** Corrects the last state. */
  def change(correct: HubSnapshot => HubSnapshot): Unit = synchronized {
    known = known.map { case (asked, state) => asked -> correct(state) }
  }

  /**
   * A part of the last state is in doubt.
   *
   * @param question the state with a new answer about this part; None when nothing of it counts any more
   */
  def askAgain(question: HubSnapshot => Option[HubSnapshot]): HubSnapshot = synchronized {
    // Its answer would be older.
    cancelQuestion()
    known = known.flatMap { case (_, state) => question(state) }.map(clock.getTimeMillis() -> _)
    known.fold(newest(Never))(_._2)
  }

  /** Without waiting for a caller. */
  override def close(): Unit = {
    isClosed = true
    cancelQuestion()
  }

  private def knownFor(times: Int): Option[HubSnapshot] =
    known.collect { case (asked, state) if clock.getTimeMillis() - asked < times * freshMillis(state) => state }

  private def keep(askedMillis: Long, state: HubSnapshot): HubSnapshot = {
    hasFailed = false
    known = Some((askedMillis, state))
    state
  }

  private def askInBackground(): Unit = {
    val last = known.map(_._2)
    def question = if (isClosed) throw new CancellationException else ask(last, () => isClosed)
    asking = Some(clock.getTimeMillis() -> InBackground.limited(question))
  }

  /** Without waiting. */
  private def takeAnswer(): Unit = asking.foreach { case (askedMillis, question) =>
    question.result.foreach { answer =>
      asking = None
      hasFailed = answer.isFailure
      answer.foreach(keep(askedMillis, _))
    }
  }

  /**
   * Waits for the answer to the question that is under way. It counts even if it took longer than a state is fresh.
   * None when there is no such question, or when it has not begun.
   */
  private def awaitAnswer(): Option[HubSnapshot] = {
    val begun = asking.filter(_._2.hasBegun)
    hasFailed = begun.nonEmpty
    try begun.map { case (askedMillis, question) => keep(askedMillis, question.await()) }
    finally cancelQuestion()
  }

  private def cancelQuestion(): Unit = {
    asking.foreach(_._2.cancel())
    asking = None
  }
}

private object SnapshotCache {

  /** How many times longer a state is used for a caller for whom it is enough. */
  private val EnoughFor = 4

  private val Never: () => Boolean = () => false
}
