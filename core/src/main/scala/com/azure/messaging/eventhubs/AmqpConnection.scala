package com.azure.messaging.eventhubs

import java.time.Duration
import javax.net.ssl.SSLContext

import com.azure.core.amqp.AmqpEndpointState
import com.azure.messaging.eventhubs.models.{EventPosition, ReceiveOptions}
import org.apache.qpid.proton.amqp.transport.DeliveryState
import reactor.core.publisher.{Flux, Mono}
import reactor.core.scheduler.Schedulers

/**
 * One AMQP connection of the SDK. Its links receive and send encoded AMQP messages, without the `EventData` objects of
 * the SDK's public clients. Making these takes a sixth of the time to read small events and most of the time to send
 * them. It also drops bodies that are not binary and turns every message id into text (docs/internals/adr/0004, 0005).
 * The SDK still does the rest: connection, authentication, links, flow control and retries.
 *
 * The SDK wakes a connection through a pipe. When a thread is interrupted while it writes to that pipe, as the thread
 * of a cancelled task is, the connection breaks for all tasks that share it. So only the connection's own thread calls
 * the SDK, also to close it.
 *
 * @param builder with credential, transport and retry options; the caller must not use it again
 * @param trust   of each new socket; None is the JVM's
 */
final class AmqpConnection(
    builder: EventHubClientBuilder,
    hubName: String,
    trust: () => Option[SSLContext] = () => None
) extends AutoCloseable {

  private val thread = new ConnectionThread

  /** Reactor interrupts the threads of its own schedulers, but not those of an executor. */
  private val caller = Schedulers.fromExecutor(thread, true)
  private val sdk = new SdkConnection(builder, hubName, caller, trust)

  /** @param within limits the wait for an answer, once there is a connection */
  def properties(within: Option[Duration]): Mono[EventHubProperties] = own(Mono.defer(() => sdk.properties(within)))

  def properties(partitionId: String, within: Option[Duration]): Mono[PartitionProperties] =
    own(Mono.defer(() => sdk.properties(partitionId, within)))

  /** The epoch in an answer of `properties`, which the SDK does not show; None when the answer had none. */
  def epochOf(answer: PartitionProperties): Option[Int] = sdk.epochs.of(answer)

  /**
   * The encoded messages of a partition over one link, which opens on subscription. The subscriber's requests are the
   * link's credit, so it must have room for all of them. Ends with the link: with its error, or without one when the
   * connection was lost.
   *
   * @param window a new one. The subscriber tells it what it has taken
   * @param drain  asks the service for the rest; used for one subscription
   */
  def messages(
      consumerGroup: String,
      partitionId: String,
      position: EventPosition,
      options: ReceiveOptions,
      window: ReceiveWindow,
      drain: Option[DrainRequest] = None
  ): Flux[Array[Byte]] = Flux
    .defer(() => sdk.messages(SdkConnection.Place(consumerGroup, partitionId, position, options), window, drain))
    .subscribeOn(caller, true)
    .cancelOn(caller)

  /** Completes when the service has admitted a reader, which reads nothing. Empty when the connection was lost. */
  def admitted(consumerGroup: String, partitionId: String, options: ReceiveOptions): Mono[AmqpEndpointState] =
    own(
      Mono.defer(() =>
        sdk.admitted(SdkConnection.Place(consumerGroup, partitionId, EventPosition.latest(), options))
      )
    )

  /**
   * The largest message that the service accepts, in bytes. Opens the send link if there is none.
   *
   * @param partitionId None lets the service choose the partition
   */
  def maxMessageBytes(partitionId: Option[String]): Mono[Integer] =
    Mono.defer(() => sdk.maxMessageBytes(partitionId)).cancelOn(caller)

  /**
   * Sends an encoded batch: consecutive data sections, each of them a whole message. Completes when the service has
   * answered.
   *
   * @param message is not copied. It must not change before the service has accepted it. If the call fails, it must
   *                never change, because the connection may still send it
   * @param length  of the message in bytes; the array may be longer
   */
  def send(partitionId: Option[String], message: Array[Byte], length: Int): Mono[DeliveryState] =
    Mono.defer(() => sdk.send(partitionId, message, length)).cancelOn(caller)

  /**
   * Opens a link of its own for an idempotent producer. It does not open again when it is lost.
   *
   * @param claim the producer's id is known after its first link
   */
  def openIdempotent(partitionId: String, claim: ProducerClaim): Mono[IdempotentSendLink] =
    Mono.defer(() => sdk.openIdempotent(partitionId, claim)).cancelOn(caller)

  /** Moves a call, and its cancellation, to the connection's own thread. */
  def own[A](call: Mono[A]): Mono[A] = call.subscribeOn(caller).cancelOn(caller)

  /** Returns once the SDK has taken the request: from then on it sends nothing that waits in the connection. */
  override def close(): Unit = thread.executeAndWait(() => sdk.close())

  /**
   * Returns once the socket is reset: from then on nothing leaves this host, neither from the connection nor from the
   * kernel. Messages that left it before, and have no answer, may still arrive.
   */
  def abort(): Unit = thread.executeAndWait(() => sdk.abort())
}
