package org.apache.spark.eventhubs.identity

import java.util.Locale
import java.util.concurrent.{CompletableFuture, ExecutionException, TimeUnit, TimeoutException}

import org.apache.spark.eventhubs.connection.{AzureEventHubsClient, EndpointProbe, EventHubsProducerClient, SdkErrors}
import org.apache.spark.eventhubs.options.{ConnectionSettings, ReadSettings, WriteDestination}
import org.apache.spark.eventhubs.signin.TokenIdentity
import org.apache.spark.eventhubs.{Credential, ErrorCondition, EventHubsException}

/** Signs in and tries both directions, over connections of its own. It reads and sends nothing. */
private[spark] final class SignInCheck(settings: ReadSettings) {

  private val connection: ConnectionSettings = settings.connection

  /** @throws EventHubsException when Entra ID refuses the sign-in, or the hub cannot be reached */
  def report(): SignInReport = {
    EndpointProbe.check(connection)
    val identity = connection.credential match {
      case entra: Credential.Entra => Some(signedIn(entra))
      case _ => None
    }
    SignInReport(
      connection.hub,
      SignInCheck.way(connection.credential),
      Option(connection.credential).collect { case Credential.SharedKey(policy, _) => policy },
      identity,
      settings.consumerGroup,
      listen = allowed(tryListening()),
      send = allowed(trySending())
    )
  }

  private def signedIn(entra: Credential.Entra): TokenIdentity =
    await(TokenIdentity.of(entra, connection).toFuture, "signing in")

  /** Without the owner level of the query: with it, the service would disconnect the readers of a running one. */
  private def tryListening(): Unit = {
    val client = new AzureEventHubsClient(connection)
    try {
      val partition = client.hubProperties().partitionIds.min
      client.checkReading(settings.consumerGroup, partition, ownerLevel = None, connection.operationTimeout)
    } finally client.close()
  }

  /** Only an open sending link proves that the credential may send. */
  private def trySending(): Unit = {
    val producer = EventHubsProducerClient.open(connection)
    try {
      await(producer.newBatch(WriteDestination.AnyPartition, None), "trying to send")
      ()
    } finally producer.close()
  }

  /**
   * A refusal is a part of the report; another failure is the caller's. A hub that does not exist fails both
   * directions, and a consumer group only reading.
   */
  private def allowed(attempt: => Unit): Admission =
    try {
      attempt
      Admission(None)
    } catch {
      case refused: EventHubsException if refused.condition.isRefusedAccess =>
        Admission(Some(refused.getMessage))
      // The service asks for the right first. Another reader owns the partition.
      case owned: EventHubsException if owned.condition == ErrorCondition.ReceiverDisconnected => Admission(None)
    }

  private def await[A](call: CompletableFuture[A], doing: String): A =
    try call.get(connection.operationTimeout.toMillis, TimeUnit.MILLISECONDS)
    catch {
      case failed: ExecutionException => throw SdkErrors.translate(failed, connection, doing)
      case _: TimeoutException =>
        val noAnswer = new TimeoutException(s"no answer within ${connection.operationTimeout.toSeconds} s")
        throw SdkErrors.translate(noAnswer, connection, doing)
    }
}

private[identity] object SignInCheck {

  private def way(credential: Credential): String = credential match {
    case _: Credential.SharedKey => "key"
    case _: Credential.SharedAccessSignature => "sas"
    case _: Credential.DefaultAzure => "default"
    case _: Credential.ClientCertificate => "clientCertificate"
    case _: Credential.Provided => "credentialProvider"
    case entra: Product => entra.productPrefix.take(1).toLowerCase(Locale.ROOT) + entra.productPrefix.drop(1)
  }
}
