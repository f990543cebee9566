package localhub.amqp.server

import java.time.Duration

import org.apache.qpid.proton.amqp.Symbol
import org.apache.qpid.proton.amqp.transport.ErrorCondition

import localhub.auth.Access

/**
 * An AMQP error. The texts matter: SDKs use them to distinguish errors with the same condition.
 *
 * @param isTracked whether the description gets the ids that the service writes behind its texts
 */
private[amqp] final case class AmqpFailure(condition: String, description: String, isTracked: Boolean = true) {

  /** The description as clients get it. */
  def text: String = if (isTracked) TrackingId.behind(description) else description

  def toCondition: ErrorCondition = new ErrorCondition(Symbol.valueOf(condition), text)

  def isUnauthorized: Boolean = condition == AmqpFailure.Unauthorized
}

private[amqp] object AmqpFailure {
  val Unauthorized = "amqp:unauthorized-access"
  val NotFound = "amqp:not-found"
  val ServerBusy = "com.microsoft:server-busy"
  private val DetachForced = "amqp:link:detach-forced"
  private val ConnectionForced = "amqp:connection:forced"

  /** An error that a fault asked for, with exactly its text. */
  def asInjected(condition: String, description: String): AmqpFailure =
    AmqpFailure(condition, description, isTracked = false)

  // SDKs treat a not-found error as permanent if it has the words "The messaging entity ... could not be found".
  // What stands behind is a hint of the local hub.
  private def notFound(entity: String, hint: String): AmqpFailure =
    AmqpFailure(NotFound, s"The messaging entity '$entity' could not be found. $hint")

  def noHub(hub: String): AmqpFailure =
    notFound(EntityName.of(hub), s"There is no event hub '$hub' in this namespace.")

  def hubDeleted(hub: String): AmqpFailure = notFound(EntityName.of(hub), s"The event hub '$hub' was deleted.")

  def noConsumerGroup(hub: String, group: String): AmqpFailure =
    notFound(EntityName.ofGroup(hub, group), s"The event hub '$hub' has no consumer group '$group'.")

  def noPartition(count: Int): AmqpFailure = AmqpFailure(
    "com.microsoft:argument-out-of-range",
    s"The specified partition is invalid for an EventHub partition sender or receiver. It should be between 0 and ${count - 1}.\n" +
      "Parameter name: PartitionId"
  )

  def noSuchNode(address: String): AmqpFailure =
    notFound(
      EntityName.of(address),
      "Expected '<hub>', '<hub>/Partitions/<id>' or '<hub>/Publishers/<name>' to send to, or '<hub>/ConsumerGroups/<group>/Partitions/<id>' to receive from."
    )

  def invalidArgument(reason: String): AmqpFailure = AmqpFailure("com.microsoft:argument-error", reason)

  def invalidFilterType(link: String, name: String, found: String): AmqpFailure = notAllowed(
    s"The link '$link' contains invalid filter type. System only support Jms or Apache selector filter type but we " +
      s"found type '$found' associated with key '$name'."
  )

  def startBeyondEnd(what: String, supplied: Long, last: Long): AmqpFailure =
    invalidArgument(s"The supplied $what '$supplied' is invalid. The last $what in the system is '$last'")

  def replicatedOffset(supplied: Long): AmqpFailure = AmqpFailure(
    "com.microsoft:georeplication:invalid-offset",
    s"The supplied offset '$supplied' is invalid: this event hub is geo-replicated, and its offsets are texts."
  )

  def unauthorized(access: Access): AmqpFailure = unauthorized(access.claim.toString, access.path)

  def unauthorized(claims: String, resource: String): AmqpFailure =
    AmqpFailure(
      Unauthorized,
      s"Unauthorized access. '$claims' claim(s) are required to perform this operation. Resource: '${EntityName.of(resource)}'."
    )

  /** Ends an open link. Clients treat it as temporary: they open the link again, with a new token. */
  def tokenExpired(access: Access): AmqpFailure = unauthorized(access).copy(condition = DetachForced)

  def serverBusy(hub: String): AmqpFailure =
    AmqpFailure(
      ServerBusy,
      "The request was terminated because the entity is being throttled. Error code : 50002. Sub error : 102. " +
        s"Please wait 4 seconds and try again. S:N:LOCALHOST:EVENTHUB:${EntityName.inCapitals(hub)}"
    )

  def stolenByFault: AmqpFailure =
    AmqpFailure(
      "amqp:link:stolen",
      "New receiver 'nil' with higher epoch is created hence current receiver is getting disconnected (a fault that was " +
        "asked for). If you are recreating the receiver, make sure a higher epoch is used."
    )

  /** @param connection the connection's number */
  def alreadyAttached(node: String, connection: String): AmqpFailure =
    notAllowed(s"A link to connection '$connection' $node node has already been opened.")

  def messageTooLarge(deliveryId: Long, size: Long, limit: Long): AmqpFailure =
    AmqpFailure(
      "amqp:link:message-size-exceeded",
      s"The received message (delivery-id:$deliveryId, size:$size bytes) exceeds the limit ($limit bytes) currently " +
        "allowed on the link."
    )

  def notDecodable(reason: String): AmqpFailure =
    AmqpFailure("amqp:decode-error", s"The message cannot be decoded: $reason")

  def foreignPartitionKey(key: String, publisher: String): AmqpFailure =
    invalidArgument(s"The partition key is '$key'; on a link of the publisher '$publisher' it is '$publisher' or none.")

  // No public report has the words of these two.
  def producerEpochStolen(id: Long, epoch: Short, older: Short): AmqpFailure = AmqpFailure(
    "com.microsoft:producer-epoch-stolen",
    s"The producer '$id' has the epoch '$epoch'; a link with the epoch '$older' may not send any more."
  )

  def outOfOrderSequence(id: Long, sequenceNumber: Int, last: Int): AmqpFailure = AmqpFailure(
    "com.microsoft:out-of-order-sequence",
    s"The producer '$id' sent the sequence number '$sequenceNumber'; its last one is '$last'."
  )

  def internal(reason: String): AmqpFailure = AmqpFailure("amqp:internal-error", reason)

  def framing(reason: String): AmqpFailure = AmqpFailure("amqp:connection:framing-error", reason)

  def notAllowed(reason: String): AmqpFailure = AmqpFailure("amqp:not-allowed", reason)

  def tooManyLinks(limit: Int): AmqpFailure =
    AmqpFailure(
      "amqp:resource-limit-exceeded",
      s"The connection has $limit links already, which is the most it may have."
    )

  /** AMQP 1.0, 2.6.1: a link's name names one link. No public report shows what the service says. */
  def linkAttachedTwice(name: String): AmqpFailure =
    AmqpFailure("amqp:link:stolen", s"The link '$name' was attached again. Detach it first, or choose another name.")

  def unattachedHandle(handle: Long, session: String): AmqpFailure =
    AmqpFailure("amqp:session:unattached-handle", s"The link handle '$handle' cannot be found in session '$session'.")

  def tooManyHandles(max: Long): AmqpFailure =
    AmqpFailure("amqp:resource-limit-exceeded", s"Cannot allocate more handles. The maximum number of handles is $max.")

  def full(reason: String): AmqpFailure = AmqpFailure("amqp:resource-limit-exceeded", reason)

  def tooMuchIncomplete: AmqpFailure =
    AmqpFailure("amqp:resource-limit-exceeded", "Too many bytes were sent of messages that are not complete.")

  def idleTimeOut(millis: Long): AmqpFailure = inactive(millis, "the service")

  def connectionWithoutLinks(millis: Long): AmqpFailure = inactive(millis, "container 'LinkTracker'")

  private def inactive(millis: Long, closedBy: String): AmqpFailure =
    AmqpFailure(
      ConnectionForced,
      s"The connection was inactive for more than the allowed $millis milliseconds and is closed by $closedBy."
    )

  def idleTimeOutTooShort(millis: Long, shortest: Long): AmqpFailure = notAllowed(
    s"Idle timeout value specified in connection OPEN ('$millis ms') is not supported. Minimum idle timeout is '$shortest' ms."
  )

  def idlePublisher(link: String, limit: Duration): AmqpFailure = AmqpFailure(
    DetachForced,
    s"The link '$link' is force detached by the broker due to errors occurred in publisher(link1). Detach origin: " +
      s"AmqpEventHubPublisher.IdleTimerExpired: Idle timeout: ${clockTime(limit)}."
  )

  def idleReader(link: String, limit: Duration): AmqpFailure = AmqpFailure(
    DetachForced,
    s"The link '$link' is force detached. Code: ServerError. Details: " +
      s"AmqpEventHubConsumer.IdleTimerExpired: Idle timeout: ${clockTime(limit)}."
  )

  private def clockTime(time: Duration): String =
    f"${time.toHours}%02d:${time.toMinutesPart}%02d:${time.toSecondsPart}%02d"
}
