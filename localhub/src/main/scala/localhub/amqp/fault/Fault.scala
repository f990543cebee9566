package localhub.amqp.fault

import java.time.Duration

/** What goes wrong. */
sealed trait FaultAction
object FaultAction {

  /** The connection breaks off without a goodbye, with all its links. */
  case object DropConnection extends FaultAction

  /** The link is closed with an error, such as `amqp:link:detach-forced` or `com.microsoft:timeout`. */
  final case class Detach(condition: String, description: String) extends FaultAction

  /** What was sent is rejected with `com.microsoft:server-busy`, as when a namespace is above its throughput units. */
  case object Throttle extends FaultAction

  /** What was due happens this much later. */
  final case class Delay(time: Duration) extends FaultAction

  /** What was due does not happen while the fault lasts: readers get nothing, what is sent gets no answer. */
  case object Stall extends FaultAction

  /** A token is refused, whatever it is worth. */
  case object RefuseToken extends FaultAction

  /** The tokens of the connection expire at once, so that its links are closed. */
  case object ExpireTokens extends FaultAction

  /** The reader is put out, as if another one with a higher epoch had come. */
  case object Steal extends FaultAction

  /** The events that are stored are gone, as when their retention is over; sequence numbers go on. */
  case object ExpireEvents extends FaultAction

  /** The hub is deleted and created again, empty and with the same shape, so that sequence numbers begin at 0. */
  case object RecreateHub extends FaultAction
}

/** When a fault can happen. */
sealed trait Occasion
object Occasion {

  /** At once, to every link that is open and in scope. */
  case object Now extends Occasion

  /** A link is about to be opened. */
  case object Attach extends Occasion

  /** A delivery has arrived and is not stored yet: a fault loses it. */
  case object Send extends Occasion

  /** A delivery is stored and not accepted yet: after a fault its sender cannot know, and may send it again. */
  case object Stored extends Occasion

  /** A reader is about to be sent some events (up to 64 KB at a time). */
  case object Receive extends Occasion

  /** A client is about to put a token on its connection. */
  case object PutToken extends Occasion

  val all: Seq[Occasion] = Seq(Now, Attach, Send, Stored, Receive, PutToken)
}

/** Where a fault can happen; what is not named is anywhere. Names are compared without regard to case. */
final case class FaultScope(
    hub: Option[String] = None,
    consumerGroup: Option[String] = None,
    partition: Option[String] = None
) {

  /** A narrower scope does not hold for what has no such part: a sender has no consumer group. */
  def includes(place: FaultScope): Boolean =
    within(hub, place.hub) && within(consumerGroup, place.consumerGroup) && within(partition, place.partition)

  private def within(wanted: Option[String], actual: Option[String]): Boolean =
    wanted.forall(name => actual.exists(_.equalsIgnoreCase(name)))
}

/**
 * Something that is to go wrong.
 *
 * @param probability of each occasion that is in scope
 * @param skip        so many occasions pass before the first one that counts
 * @param count       it happens so often, then no more; without, again and again
 * @param duration    after this time it happens no more, and what it stalled goes on; without, until it is cancelled
 */
final case class Fault(
    action: FaultAction,
    occasion: Occasion,
    scope: FaultScope = FaultScope(),
    probability: Double = 1.0,
    skip: Int = 0,
    count: Option[Int] = None,
    duration: Option[Duration] = None
) {

  require(
    Fault.occasionsOf(action).contains(occasion),
    s"$action cannot happen on occasion $occasion; expected one of ${Fault.occasionsOf(action).mkString(", ")}."
  )
  require(probability > 0 && probability <= 1, s"probability is $probability; expected above 0, up to 1.")
  require(skip >= 0, s"skip is $skip; expected 0 or more.")
  count.foreach(n => require(n > 0, s"count is $n; expected 1 or more."))
}

object Fault {
  import FaultAction._
  import Occasion._

  def occasionsOf(action: FaultAction): Seq[Occasion] = action match {
    case DropConnection => all
    case Detach(_, _) => Seq(Now, Attach, Send, Stored, Receive)
    case Throttle => Seq(Send)
    case Delay(_) => Seq(Stored, Receive, PutToken)
    case Stall => Seq(Send, Stored, Receive)
    case RefuseToken => Seq(PutToken)
    case ExpireTokens => Seq(Now, Send, Receive)
    case Steal => Seq(Now, Receive)
    case ExpireEvents | RecreateHub => Seq(Now, Attach, Send, Stored, Receive)
  }
}
