package org.apache.spark.eventhubs.rdd

import scala.annotation.tailrec
import scala.util.{Failure, Try}

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.eventhubs.connection.{AbandonedQuestionException, PartitionBounds}
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ConnectionSettings
import org.apache.spark.eventhubs.receive.CachedEventHubsReceiver
import org.apache.spark.eventhubs.service.{HubRules, HubView, Known, Verdict}

/**
 * Asks the service, for a task, about the hub and the partition that its range was planned for. Tasks of this JVM share
 * the answers, and [[HubRules]] say what they mean. Only the task's thread calls it.
 *
 * @param hasEnd  whether all events of the range are known to exist
 * @param stopped whether the task is to stop
 */
private[rdd] final class PlannedHub(
    range: OffsetRange,
    hasEnd: Boolean,
    planned: HubGeneration,
    connection: ConnectionSettings,
    receiver: CachedEventHubsReceiver,
    resources: ExecutorResources,
    stopped: () => Boolean
) {

  import PlannedHub._

  private val partition = range.partitionId

  /** The last epoch whose events may have been planned; None unless the hub is geo-replicated. */
  val epoch: Option[Int] = planned.epochOf(partition)

  private val withoutDoubt = HubRules.of(connection.operationTimeout)
  private var rules = withoutDoubt

  /** Whether nobody waits for the answer to the present question. */
  private var abandoned: () => Boolean = Never

  private val checkWanted: () => Unit = () => {
    if (stopped()) throw new InterruptedException(s"the task was stopped while it asked about ${receiver.key}")
    if (abandoned()) throw new AbandonedQuestionException(s"asking about ${receiver.key}")
  }

  private val view = new HubView(connection.operationTimeout, resources.clock, checkWanted)

  /** Notes that an event of the range has come. Called for each event. */
  def eventArrived(): Unit = rules = withoutDoubt

  /** Whether answers have lacked events of the range, and none has come since. */
  def isInDoubt: Boolean = rules.isInDoubt

  /** What the partition retains now. A slow service is asked again. */
  def bounds(): PartitionBounds = persistently(askedBounds())

  /**
   * What has become of a partition of which no event comes.
   *
   * @param wanted the events before this number are waited for or, without an end, were read
   * @param until  true when the reader has to do something else
   */
  def verdict(wanted: Long, until: () => Boolean): Verdict = ifAnswered(until) {
    val bounds = askedBounds()
    val another =
      if (hasEnd || bounds.isEmpty) recreated()
      // Uses the partition's last event, because the last event read may be older than the recreation.
      else recreatedBefore(bounds.lastEnqueuedTime.toEpochMilli)
    another.getOrElse {
      val known = Known(if (hasEnd) range.untilSeqNo else wanted, epoch)
      val (judged, verdict) = rules.answer(partition, known, Some(bounds), resources.clock.getTimeMillis(), wanted)
      rules = judged
      verdict
    }
  }

  /** Whether the link that brought this event leads to another hub. Only an event shows which hub it leads to. */
  def recreatedBefore(event: ReceivedEvent): Option[Verdict.Recreated] =
    persistently(recreatedBefore(event.enqueuedMillis))

  /**
   * Whether an event of a later epoch than planned came after a promotion. Plans are made from the service's answers,
   * and its events may count epochs differently, so an answer that has the event decides. If several answers over some
   * time lack it, the event decides: events of two epochs must not be delivered under one sequence number.
   */
  def promotedBefore(event: ReceivedEvent): Option[Verdict.Promoted] = {
    // The old primary region may have had another event with this number, but enqueued it earlier.
    val known = Known(event.sequenceNumber + 1, epoch, enqueuedMillis = Some(event.enqueuedMillis))
    val found = view.believed(bounds())(answer => Seq((partition, known, Some(answer))))((_, _) => bounds())
    HubRules.promotion(epoch, found.epoch)
      .orElse(if (HubRules.has(known, found)) None else HubRules.promotion(epoch, Some(event.epoch)))
  }

  private def askedBounds(): PartitionBounds =
    resources.retained.ask(connection, partition, checkWanted)(receiver.bounds(abandoned))

  private def recreated(): Option[Verdict.Recreated] = planned.created.flatMap { _ =>
    val found = resources.generations.ask(connection, (), checkWanted)(receiver.hubGeneration(abandoned))
    HubRules.recreated(planned, found)
  }

  private def recreatedBefore(enqueuedMillis: Long): Option[Verdict.Recreated] = planned.created.flatMap { wanted =>
    resources.verifiedGenerations.difference(connection, wanted, enqueuedMillis)(recreated())
  }

  /** Stops waiting for answers when an event arrives. */
  private def ifAnswered(until: () => Boolean)(verdict: => Verdict): Verdict = {
    abandoned = () => receiver.hasEvent || until()
    try verdict
    catch {
      case _: AbandonedQuestionException => Verdict.Unanswered(None)
      case unanswered: EventHubsException if unanswered.condition.mayPass => Verdict.Unanswered(Some(unanswered))
    } finally abandoned = Never
  }
}

private object PlannedHub {

  /** The answer to a question without which an event is not delivered. A slow service is asked again. */
  @tailrec
  private def persistently[A](question: => A, attempts: Int = Attempts): A = Try(question) match {
    case Failure(slow: EventHubsException) if attempts > 1 && slow.condition.isSlow =>
      persistently(question, attempts - 1)
    case answer => answer.get
  }

  /** Each takes up to `operationTimeout`. */
  private val Attempts = 3

  private val Never: () => Boolean = () => false
}
