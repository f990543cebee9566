package com.azure.messaging.eventhubs

import java.util.concurrent.{LinkedBlockingQueue, ThreadPoolExecutor, TimeUnit}

import com.azure.core.amqp.AmqpEndpointState
import com.azure.messaging.eventhubs.models.{EventPosition, ReceiveOptions}
import org.apache.qpid.proton.amqp.transport.DeliveryState
import reactor.core.publisher.{Flux, Mono}
import reactor.core.scheduler.Schedulers

/**
 * One AMQP connection of the SDK, whose links give and take AMQP messages, without the `EventData` that its public clients
 * make of each: that costs a sixth of the time of reading small events and most of the time of sending them, empties
 * bodies that are not binary and makes text of every message id (docs/internals/adr/0004, 0005). Connection, authentication, links,
 * flow control and retries are the SDK's own; this is what its `EventHubConsumerAsyncClient` does less its last steps,
 * and its `EventHubProducerAsyncClient` less its first.
 *
 * The SDK wakes a connection through a pipe, which breaks for good when the thread that writes to it is interrupted, as
 * threads of cancelled tasks are; and the connection is other tasks' too. So a thread of the connection's own calls the SDK,
 * which nobody interrupts.
 *
 * @param builder with credential, transport and retry options; must not be used further
 */
final class AmqpConnection(builder: EventHubClientBuilder, hubName: String) extends AutoCloseable {

  private val callerThread = AmqpConnection.newThread()

  /** Reactor's own schedulers interrupt their threads; one of which they see no more than an executor is left alone. */
  private val caller = Schedulers.fromExecutor(task => callerThread.execute(task), true)
  private val sdk = new SdkConnection(builder, hubName, caller)

  def properties: Mono[EventHubProperties] = own(Mono.defer(() => sdk.properties))

  def properties(partitionId: String): Mono[PartitionProperties] = own(Mono.defer(() => sdk.properties(partitionId)))

  /**
   * The messages of a partition over one link, opened when subscribed to. What is asked for is the link's credit, so there
   * must be room for all of it. Ends when the link does: with its error, or, where the connection went away, without one.
   */
  def messages(
      consumerGroup: String,
      partitionId: String,
      position: EventPosition,
      options: ReceiveOptions
  ): Flux[Array[Byte]] = Flux
    .defer(() => sdk.messages(SdkConnection.Place(consumerGroup, partitionId, position, options)))
    .subscribeOn(caller, true)
    .cancelOn(caller)

  /** Completes when the service has let a reader in; nothing is read. Empty when the connection went away meanwhile. */
  def admitted(consumerGroup: String, partitionId: String, options: ReceiveOptions): Mono[AmqpEndpointState] =
    own(
      Mono.defer(() =>
        sdk.admitted(SdkConnection.Place(consumerGroup, partitionId, EventPosition.latest(), options))
      )
    )

  /**
   * The largest message that the service takes, in bytes. Opens the link for it where there is none.
   *
   * @param partitionId None leaves the partition to the service
   */
  def maxMessageBytes(partitionId: Option[String]): Mono[Integer] =
    Mono.defer(() => sdk.maxMessageBytes(partitionId)).cancelOn(caller)

  /**
   * Sends a batch that is encoded already: data sections behind each other, each with a whole message in it. Completes
   * when the service has accepted it.
   *
   * @param length of the message; the array may be longer. It is not copied: it must not be changed until the service has
   *               accepted it, and never where the answer is another one, as the connection may go on sending it
   */
  def send(partitionId: Option[String], message: Array[Byte], length: Int): Mono[DeliveryState] =
    Mono.defer(() => sdk.send(partitionId, message, length)).cancelOn(caller)

  /** A call that the thread which waits for it does not make itself. */
  def own[A](call: Mono[A]): Mono[A] = call.subscribeOn(caller).cancelOn(caller)

  override def close(): Unit = {
    sdk.close()
    callerThread.shutdown()
  }
}

private object AmqpConnection {

  /** One thread, while there is something to do. What comes after the end is done by who asks for it. */
  private def newThread(): ThreadPoolExecutor = {
    val pool = new ThreadPoolExecutor(
      1,
      1,
      1,
      TimeUnit.SECONDS,
      new LinkedBlockingQueue[Runnable],
      { (task: Runnable) =>
        val thread = new Thread(task, "eventhubs-sdk-caller")
        thread.setDaemon(true)
        thread
      },
      (task: Runnable, _: ThreadPoolExecutor) => task.run()
    )
    pool.allowCoreThreadTimeOut(true)
    pool
  }
}
