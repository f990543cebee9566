package com.azure.messaging.eventhubs

import java.util.{Locale, UUID}

import com.azure.core.amqp.exception.AmqpException
import com.azure.core.amqp.implementation._
import com.azure.core.util.logging.ClientLogger
import com.azure.messaging.eventhubs.models.{EventPosition, ReceiveOptions}
import org.apache.qpid.proton.message.Message
import reactor.core.publisher.{Flux, Mono}
import reactor.core.scheduler.Schedulers

/**
 * One AMQP connection of the SDK, whose links give AMQP messages as the SDK decodes them, without the `EventData` that
 * its public client makes of each: that costs a sixth of the time of reading small events, empties bodies that are not
 * binary and makes text of every message id (docs/adr/0004). Connection, authentication, links, flow control and retries
 * are the SDK's own; this is what its `EventHubConsumerAsyncClient` does, less its last step.
 *
 * What it is made of is private to the SDK's package, so it stands in it. The SDK is part of our jar, in one version.
 *
 * @param builder with credential, transport and retry options; must not be used further
 */
final class MessageConnection(builder: EventHubClientBuilder, hubName: String) extends AutoCloseable {

  private val identifier = UUID.randomUUID.toString
  private val serializer = new EventHubMessageSerializer
  private val meter = builder.createMeter()

  private val connection = new ConnectionCacheWrapper(
    new V2StackSupport(MessageConnection.Log).createConnectionCache(
      builder.scheduler(Schedulers.boundedElastic()).getConnectionOptions,
      () => hubName,
      serializer,
      meter,
      true
    )
  )

  private val clients = new EventHubAsyncClient(
    connection,
    serializer,
    Schedulers.boundedElastic(),
    true,
    () => (),
    identifier,
    meter,
    builder.createTracer()
  )

  /** A public client of the SDK over this connection: for management calls, and for events one by one. */
  def consumer(consumerGroup: String, prefetchCount: Int): EventHubConsumerAsyncClient =
    clients.createConsumer(consumerGroup, prefetchCount, false)

  /**
   * The messages of a partition over one link, opened when subscribed to. Ends when the link does: with its error, or,
   * where the connection went away, without one.
   *
   * @param prefetchCount credit in messages
   */
  def messages(
      consumerGroup: String,
      partitionId: String,
      position: EventPosition,
      options: ReceiveOptions,
      prefetchCount: Int
  ): Flux[Message] = {
    val name = StringUtil.getRandomString(partitionId)
    val path =
      String.format(Locale.US, "%s/ConsumerGroups/%s/Partitions/%s", hubName, consumerGroup, partitionId)
    val link: Mono[AmqpReceiveLink] = connection.getConnection
      .flatMap[AmqpReceiveLink](_.createReceiveLink(name, path, position, options, identifier))
      // A channel that closes under the call belongs to a connection that goes away; the next attempt gets another one.
      .onErrorMap {
        case closed: RequestResponseChannelClosedException => new AmqpException(true, closed.getMessage, closed, null)
        case other => other
      }
    val links = RetryUtil
      .withRetry(link, connection.getRetryOptions, s"Failed to create receive link $name", true)
      .repeat()
      // The repetition may give the first link once more after its end.
      .filter(!_.isDisposed)
    new MessageFlux(links, prefetchCount, CreditFlowMode.EmissionDriven, MessageFlux.NULL_RETRY_POLICY)
  }

  override def close(): Unit = connection.dispose()
}

private object MessageConnection {
  private val Log = new ClientLogger(classOf[MessageConnection])
}
