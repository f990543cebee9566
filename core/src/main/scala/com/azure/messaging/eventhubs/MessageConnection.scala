package com.azure.messaging.eventhubs

import java.util.concurrent.{LinkedBlockingQueue, ThreadPoolExecutor, TimeUnit}
import java.util.{Locale, UUID}

import scala.jdk.CollectionConverters._

import com.azure.core.amqp.exception.AmqpException
import com.azure.core.amqp.implementation._
import com.azure.core.util.logging.ClientLogger
import com.azure.messaging.eventhubs.models.{EventPosition, ReceiveOptions}
import org.apache.qpid.proton.amqp.transport.DeliveryState
import org.apache.qpid.proton.message.Message
import reactor.core.publisher.{Flux, Mono}
import reactor.core.scheduler.Schedulers

/**
 * One AMQP connection of the SDK, whose links give and take AMQP messages, without the `EventData` that its public clients
 * make of each: that costs a sixth of the time of reading small events and most of the time of sending them, empties
 * bodies that are not binary and makes text of every message id (docs/adr/0004, 0005). Connection, authentication, links,
 * flow control and retries are the SDK's own; this is what its `EventHubConsumerAsyncClient` does less its last step, and
 * its `EventHubProducerAsyncClient` less its first.
 *
 * What it is made of is private to the SDK's package, so it stands in it. The SDK is part of our jar, in one version.
 *
 * @param builder with credential, transport and retry options; must not be used further
 */
final class MessageConnection(builder: EventHubClientBuilder, hubName: String) extends AutoCloseable {

  /**
   * The thread that calls the SDK. It wakes its connection through a pipe, which breaks for good when the thread that writes
   * to it is interrupted, as threads of cancelled tasks are; and the connection is other tasks' too. Reactor's own
   * schedulers interrupt as well; this one, to which they see no more than an executor, is left alone.
   */
  private val callerThread = MessageConnection.newThread()
  private val caller = Schedulers.fromExecutor(task => callerThread.execute(task), true)

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
      .subscribeOn(caller, true)
      .cancelOn(caller)
  }

  def partitionIds: Mono[Seq[String]] = own(clients.getProperties.map(_.getPartitionIds.asScala.toSeq))

  /**
   * The largest message that the service takes, in bytes. Opens the link for it where there is none.
   *
   * @param partitionId None leaves the partition to the service
   */
  def maxMessageBytes(partitionId: Option[String]): Mono[Integer] =
    tried(senderOf(partitionId).flatMap[Integer](_.getLinkSize), "Opening a link for sending")

  /**
   * Sends a batch that is encoded already: data sections behind each other, each with a whole message in it. Completes
   * when the service has accepted it.
   *
   * @param length of the message; the array may be longer, and must not be changed until the answer is there
   */
  def send(partitionId: Option[String], message: Array[Byte], length: Int): Mono[DeliveryState] =
    tried(
      senderOf(partitionId).flatMap[DeliveryState](_.send(message, length, MessageConnection.BatchFormat, null)),
      "Sending a batch"
    )

  /** A call over this connection, of a public client too, that the thread which asks for it does not make itself. */
  def own[A](call: Mono[A]): Mono[A] = call.subscribeOn(caller).cancelOn(caller)

  override def close(): Unit = {
    connection.dispose()
    callerThread.shutdown()
  }

  private def senderOf(partitionId: Option[String]): Mono[AmqpSendLink] = {
    val path = partitionId.fold(hubName)(id => s"$hubName/Partitions/$id")
    connection.getConnection.flatMap[AmqpSendLink](
      _.createSendLink(path, path, connection.getRetryOptions, identifier)
    )
  }

  private def tried[T](call: Mono[T], doing: String): Mono[T] =
    own(RetryUtil.withRetry(call, connection.getRetryOptions, s"$doing timed out."))
}

private object MessageConnection {
  private val Log = new ClientLogger(classOf[MessageConnection])

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

  /** Message format by which the service knows a batch. */
  private val BatchFormat = 0x80013700
}
