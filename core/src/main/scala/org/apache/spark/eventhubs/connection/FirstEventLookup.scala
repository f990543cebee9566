package org.apache.spark.eventhubs.connection

import java.time.Duration
import java.util.function.{Function => JavaFunction}

import com.azure.messaging.eventhubs.models.{EventPosition => SdkPosition}
import com.azure.messaging.eventhubs.{AmqpConnection, DrainRequest, InclusiveOffset}
import org.reactivestreams.Publisher
import reactor.core.publisher.{Mono, Sinks}

import org.apache.spark.eventhubs.EventPosition
import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.eventhubs.connection.AzureEventHubsClient.{connectionLost, receiveOptions}

/** Finds the first event at a position by receiving, because the management node cannot tell. */
private[connection] final class FirstEventLookup(connection: AmqpConnection, operationTimeout: Duration) {

  import FirstEventLookup._

  /**
   * What `of` returns of the first event at or after the position. Each subscription opens a link of its own.
   *
   * @param whenEmpty the result when the service says that there is no such event; None waits for one
   */
  def apply[A <: AnyRef](
      consumerGroup: String,
      partitionId: Int,
      position: EventPosition,
      ownerLevel: Option[Long],
      whenEmpty: Option[A]
  )(of: ReceivedEvent => A): Mono[A] = {
    def received(position: EventPosition)(drain: Option[DrainRequest], onMessage: () => Unit): Mono[A] = Mono.defer {
      () =>
        // Each attempt has a window of its own, which would close after a few large older events without `taken`.
        val window = ReceiveLink.window(ReceiveLink.DefaultBufferBytes)
        connection
          .messages(
            consumerGroup,
            partitionId.toString,
            sdkPosition(position),
            receiveOptions(ownerLevel),
            window,
            drain
          )
          // One credit at a time. The service may begin with events that are older than the position.
          .limitRate(1)
          .map[ReceivedEvent] { message =>
            window.taken(message.length)
            onMessage()
            val event = new ReceivedEvent
            event.set(message)
            event
          }
          .filter(event => StartOrder.isAtOrAfter(event, position))
          .next()
          .map[A](event => of(event))
          // A link ends without an error when its connection is lost, so only the timeout means that there is no event.
          .switchIfEmpty(connectionLost[A])
    }
    def any = received(EventPosition.StartOfStream)(None, () => ())
    whenEmpty.fold(received(position)(None, () => ()))(orWhenEmpty[A](received(position), any, _))
  }

  /**
   * The first of `received`. `whenEmpty` when the service says twice, on two links and [[LinkDrain.AgreeFor]] apart,
   * that there is none: one answer may come from a replica that lags behind. A service that does not answer is listened
   * to instead. Its silence counts if the partition delivers another event: otherwise the partition may be down.
   *
   * @param any any event of the partition
   */
  private def orWhenEmpty[A <: AnyRef](received: Received[A], any: Mono[A], whenEmpty: A): Mono[A] = {
    def next(outcome: Outcome[A], empty: Mono[Outcome[A]]): Mono[Outcome[A]] = outcome match {
      case Unanswered =>
        first(received, asks = false).flatMap {
          case Empty => any.map[Outcome[A]](_ => Empty)
          case found => Mono.just(found)
        }
      case Empty => empty
      case found => Mono.just(found)
    }
    def again = Mono.delay(LinkDrain.AgreeFor).`then`(first(received, asks = true))
    first(received, asks = true)
      .flatMap(next(_, again))
      .flatMap(next(_, Mono.just[Outcome[A]](Empty)))
      .map {
        case Found(value) => value
        case _ => whenEmpty
      }
  }

  /**
   * The first of `received`, or what the service says.
   *
   * @param asks whether the service is asked; otherwise only its silence counts, on a link that has its credit for sure
   */
  private def first[A <: AnyRef](received: Received[A], asks: Boolean): Mono[Outcome[A]] =
    Mono.defer { () =>
      val said = Sinks.one[Outcome[A]]()
      // Silence begins when the link has opened, and again with each message before the position.
      val signs = Sinks.many().unicast().onBackpressureBuffer[Outcome[A]]()
      def noteSign(): Unit = { val _ = signs.tryEmitNext(Unanswered) }
      val drain = new DrainRequest {
        override protected def answered(returned: Int, isEmpty: Boolean): Unit =
          if (isEmpty) { val _ = said.tryEmitValue(Empty) }
        override protected def hasOpened(): Unit = noteSign()
      }
      if (asks) drain.request()
      val (silence, silent) =
        if (asks) (LinkDrain.answerWithin(operationTimeout), Unanswered)
        else (LinkDrain.listenFor(operationTimeout), Empty)
      val quiet: JavaFunction[Outcome[A], Publisher[_ <: Outcome[A]]] = _ =>
        Mono.delay(silence).map[Outcome[A]](_ => silent)
      val after = signs.asFlux.switchMap[Outcome[A]](quiet).next()
      Mono.firstWithSignal(received(Some(drain), () => noteSign()).map[Outcome[A]](Found(_)), said.asMono, after)
    }
}

private object FirstEventLookup {

  /** The first event at the position, over a link of its own that may be drained. Calls back with each message. */
  private type Received[A] = (Option[DrainRequest], () => Unit) => Mono[A]

  private sealed trait Outcome[+A]
  private final case class Found[A](value: A) extends Outcome[A]

  /** There is no event. */
  private case object Empty extends Outcome[Nothing]

  /** The service does not say whether there is an event. */
  private case object Unanswered extends Outcome[Nothing]

  /** The service filters by "later than" in whole milliseconds; an inclusive position is therefore 1 ms earlier. */
  private def sdkPosition(position: EventPosition): SdkPosition = position match {
    case EventPosition.CheckpointStore =>
      throw new IllegalArgumentException("the checkpoint of a partition is read before its event is looked for")
    case EventPosition.StartOfStream => SdkPosition.earliest()
    case EventPosition.EndOfStream => SdkPosition.latest()
    case EventPosition.AtSequenceNumber(value, inclusive) => SdkPosition.fromSequenceNumber(value, inclusive)
    case EventPosition.AtOffset(value, true) => InclusiveOffset(value)
    case EventPosition.AtOffset(value, false) => SdkPosition.fromOffsetString(value)
    case EventPosition.AtEnqueuedTime(value, true) =>
      SdkPosition.fromEnqueuedTime(StartOrder.upToMillis(value).minusMillis(1))
    case EventPosition.AtEnqueuedTime(value, false) => SdkPosition.fromEnqueuedTime(value)
  }
}
