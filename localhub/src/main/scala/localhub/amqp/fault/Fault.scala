package localhub.amqp.fault

import java.time.Duration

/** What a fault does. */
sealed trait FaultAction

object FaultAction {

  /** Closes the socket without AMQP close frames, with all its links. */
  case object DropConnection extends FaultAction

  /** Closes the link with an error such as `amqp:link:detach-forced` or `com.microsoft:timeout`. */
  final case class Detach(condition: String, description: String) extends FaultAction

  /** Rejects a delivery with `com.microsoft:server-busy`, as the service does above the throughput units. */
  case object Throttle extends FaultAction

  /** Delays the answer or the events by this time. */
  final case class Delay(time: Duration) extends FaultAction

  /** While the fault lasts, readers receive nothing and senders get no answer. */
  case object Stall extends FaultAction

  /**
   * While the fault lasts, readers receive nothing, and a drained link says that there is nothing, as a replica that
   * lags behind does.
   */
  case object HideEvents extends FaultAction

  /** Refuses a token, even a valid one. */
  case object RefuseToken extends FaultAction

  /** Expires the tokens of the connection at once, so that its links are closed. */
  case object ExpireTokens extends FaultAction

  /** Disconnects the reader, as a reader with a higher epoch does. */
  case object Steal extends FaultAction

  /** Removes the stored events, as retention does; sequence numbers continue. */
  case object ExpireEvents extends FaultAction

  /** Deletes the hub and creates it again, empty, with the same settings. Sequence numbers start at 0. */
  case object RecreateHub extends FaultAction

  /** A management answer ends this many events too early, as an answer of a replica that lags does. */
  final case class LagBehind(events: Int) extends FaultAction

  /** A management answer about a hub leaves out this many last partitions, as one of a replica that lags does. */
  final case class FewerPartitions(partitions: Int) extends FaultAction

  /** A management answer has the epoch of before the last promotion, as one of a replica that lags does. */
  case object OlderEpoch extends FaultAction

  /** A management answer is not sent. */
  case object LoseAnswer extends FaultAction

  /** A new reader first gets up to this many events that are older than its start. */
  final case class OlderFirst(events: Int) extends FaultAction
}

/** Says when a fault can happen. */
sealed trait Occasion

object Occasion {

  /** The fault happens at once, for every open link or connection in scope. */
  case object Now extends Occasion

  /** The fault happens before a link is opened. */
  case object Attach extends Occasion

  /** The fault happens after a delivery arrived and before it is stored: it is lost. */
  case object Send extends Occasion

  /** The fault happens between the storing of a delivery and its acceptance: the sender may send it again. */
  case object Stored extends Occasion

  /** The fault happens before events are sent to a reader (up to 64 KB at a time). */
  case object Receive extends Occasion

  /** The fault happens before a client's token is put on its connection. */
  case object PutToken extends Occasion

  /** The fault happens when a reader's start is computed. */
  case object Start extends Occasion

  /** The fault happens before the properties of a partition are sent. */
  case object Manage extends Occasion

  /** The fault happens before the properties of a hub are sent. */
  case object ManageHub extends Occasion

  /** The occasions of faults that end a connection. */
  private[fault] val breaking: Seq[Occasion] = Seq(Now, Attach, Send, Stored, Receive, PutToken)
}

/** Where a fault can happen; a missing name matches everything. Upper and lower case are equal. */
final case class FaultScope(
    hub: Option[String] = None,
    consumerGroup: Option[String] = None,
    partition: Option[String] = None
) {

  /** A name does not match a place without that name: a sender has no consumer group. */
  def includes(place: FaultScope): Boolean =
    within(hub, place.hub) && within(consumerGroup, place.consumerGroup) && within(partition, place.partition)

  private def within(wanted: Option[String], actual: Option[String]): Boolean =
    wanted.forall(name => actual.exists(_.equalsIgnoreCase(name)))
}

/**
 * A fault to inject.
 *
 * @param probability chance on each occasion in scope
 * @param skip        occasions to ignore first
 * @param count       how often it happens; None for no limit
 * @param duration    time after which it ends and stalled work resumes; None: until it is cancelled
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
    case DropConnection => breaking
    case Detach(_, _) => Seq(Now, Attach, Send, Stored, Receive)
    case Throttle => Seq(Send)
    case Delay(_) => Seq(Stored, Receive, PutToken)
    case Stall => Seq(Send, Stored, Receive)
    case HideEvents => Seq(Receive)
    case RefuseToken => Seq(PutToken)
    case ExpireTokens => Seq(Now, Send, Receive)
    case Steal => Seq(Now, Receive)
    case ExpireEvents | RecreateHub => Seq(Now, Attach, Send, Stored, Receive)
    case LagBehind(_) | OlderEpoch => Seq(Manage)
    case FewerPartitions(_) => Seq(ManageHub)
    case LoseAnswer => Seq(Manage, ManageHub)
    case OlderFirst(_) => Seq(Start)
  }
}
