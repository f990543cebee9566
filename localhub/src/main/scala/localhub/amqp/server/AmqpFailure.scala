package localhub.amqp.server

import java.time.Instant

import org.apache.qpid.proton.amqp.Symbol
import org.apache.qpid.proton.amqp.transport.ErrorCondition

import localhub.auth.Access

/** An AMQP error. The texts matter: SDKs use them to distinguish errors with the same condition. */
private[amqp] final case class AmqpFailure(condition: String, description: String) {
  def toCondition: ErrorCondition = new ErrorCondition(Symbol.valueOf(condition), description)
}

private[amqp] object AmqpFailure {

  // SDKs treat a not-found error as permanent if it has the words "The messaging entity ... could not be found".
  private def notFound(entity: String, hint: String): AmqpFailure =
    AmqpFailure("amqp:not-found", s"The messaging entity '$entity' could not be found. $hint")

  def noHub(hub: String): AmqpFailure = notFound(hub, s"There is no event hub '$hub' in this namespace.")

  def hubDeleted(hub: String): AmqpFailure = notFound(hub, s"The event hub '$hub' was deleted.")

  def noConsumerGroup(hub: String, group: String): AmqpFailure =
    notFound(s"$hub/ConsumerGroups/$group", s"The event hub '$hub' has no consumer group '$group'.")

  def noPartition(hub: String, partition: String, count: Int): AmqpFailure =
    notFound(
      s"$hub/Partitions/$partition",
      s"The specified partition is invalid for an EventHub partition sender or receiver. It should be between 0 and ${count - 1}."
    )

  def noSuchNode(address: String): AmqpFailure =
    notFound(
      address,
      "Expected '<hub>', '<hub>/Partitions/<id>' or '<hub>/Publishers/<name>' to send to, or '<hub>/ConsumerGroups/<group>/Partitions/<id>' to receive from."
    )

  def invalidArgument(reason: String): AmqpFailure = AmqpFailure("com.microsoft:argument-error", reason)

  def startBeyondEnd(what: String, supplied: Long, last: Long): AmqpFailure =
    invalidArgument(s"The supplied $what '$supplied' is invalid. The last $what in the system is '$last'")

  def unauthorized(access: Access): AmqpFailure = unauthorized(access.claim.toString, access.path)

  def unauthorized(claims: String, resource: String): AmqpFailure =
    AmqpFailure(
      "amqp:unauthorized-access",
      s"Unauthorized access. '$claims' claim(s) are required to perform this operation. Resource: '$resource'."
    )

  def tokenExpired(access: Access, at: Instant): AmqpFailure =
    AmqpFailure(
      "amqp:unauthorized-access",
      s"ExpiredToken: The token is expired. Expiration time: '$at'. '${access.claim}' claim(s) are required for " +
        s"'${access.path}': put a new token on the connection in time."
    )

  def serverBusy(entity: String): AmqpFailure =
    AmqpFailure(
      "com.microsoft:server-busy",
      s"The request was terminated because the entity is being throttled. Entity: '$entity'. Error code: 50002. " +
        "Please wait 4 seconds and try again."
    )

  def stolenByFault: AmqpFailure =
    AmqpFailure(
      "amqp:link:stolen",
      "New receiver 'nil' with higher epoch is created hence current receiver is getting disconnected (a fault that was " +
        "asked for). If you are recreating the receiver, make sure a higher epoch is used."
    )

  def alreadyAttached(node: String): AmqpFailure =
    notAllowed(s"A link to '$node' is already attached on this connection; use it, or a new connection.")

  def messageTooLarge(size: Long, limit: Long): AmqpFailure =
    AmqpFailure(
      "amqp:link:message-size-exceeded",
      s"The received message (size:$size bytes) exceeds the limit ($limit bytes) currently allowed on the link."
    )

  def notDecodable(reason: String): AmqpFailure =
    AmqpFailure("amqp:decode-error", s"The message cannot be decoded: $reason")

  def foreignPartitionKey(key: String, publisher: String): AmqpFailure =
    invalidArgument(s"The partition key is '$key'; on a link of the publisher '$publisher' it is '$publisher' or none.")

  def internal(reason: String): AmqpFailure = AmqpFailure("amqp:internal-error", reason)

  def framing(reason: String): AmqpFailure = AmqpFailure("amqp:connection:framing-error", reason)

  def notAllowed(reason: String): AmqpFailure = AmqpFailure("amqp:not-allowed", reason)

  def tooManyLinks(limit: Int): AmqpFailure =
    AmqpFailure(
      "amqp:resource-limit-exceeded",
      s"The connection has $limit links already, which is the most it may have."
    )

  def full(reason: String): AmqpFailure = AmqpFailure("amqp:resource-limit-exceeded", reason)

  def tooMuchIncomplete: AmqpFailure =
    AmqpFailure("amqp:resource-limit-exceeded", "Too many bytes were sent of messages that are not complete.")

  def idleTimeOut(millis: Long): AmqpFailure =
    AmqpFailure(
      "amqp:connection:forced",
      s"The connection was inactive for more than the allowed $millis milliseconds and is closed by the service."
    )
}
