package com.azure.messaging.eventhubs

import java.time.Duration
import java.util.concurrent.TimeUnit.MILLISECONDS
import java.util.concurrent.TimeoutException
import java.util.function.{Function => JavaFunction}
import java.util.{Map => JavaMap, UUID}
import javax.net.ssl.SSLContext

import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpException}
import com.azure.core.amqp.implementation._
import com.azure.core.amqp.{AmqpEndpointState, AmqpRetryMode, AmqpRetryOptions}
import com.azure.messaging.eventhubs.implementation.{EventHubReactorAmqpConnection, EventHubSession}
import com.azure.messaging.eventhubs.models.{EventPosition, ReceiveOptions}
import org.apache.qpid.proton.amqp.transport.DeliveryState
import org.reactivestreams.Publisher
import reactor.core.publisher.{Flux, Mono, SignalType}
import reactor.core.scheduler.{Scheduler, Schedulers}

/**
 * The SDK's own connection with its links, which reopens after the service has closed it. It is in the SDK's package to
 * use package-private members. The connector's jar contains the SDK in one version, and SdkInternalsSuite checks these
 * members.
 *
 * @param builder with credential, transport and retry options
 * @param caller  runs calls in a thread that is never interrupted
 * @param trust   of each new socket; None is the JVM's
 */
private final class SdkConnection(
    builder: EventHubClientBuilder,
    hubName: String,
    caller: Scheduler,
    trust: () => Option[SSLContext]
) extends AutoCloseable {

  private val identifier = UUID.randomUUID.toString
  private val sessions = new SessionNames
  private val sockets = new AbortableSockets

  private val idempotent = new IdempotentLinks

  val epochs = new PartitionEpochs

  private val connection = {
    val options = builder.scheduler(Schedulers.boundedElastic()).getConnectionOptions
    new ConnectionCacheWrapper(
      new ReactorConnectionCache[EventHubReactorAmqpConnection](
        () => SdkConnection.open(options, hubName, trust, sockets, epochs, idempotent),
        options.getFullyQualifiedNamespace,
        hubName,
        RetryUtil.getRetryPolicy(options.getRetry),
        JavaMap.of(ClientConstants.ENTITY_PATH_KEY, hubName)
      )
    )
  }

  def properties(within: Option[Duration]): Mono[EventHubProperties] =
    connection.getManagementNodeWithRetries
      .flatMap[EventHubProperties](node => limited(node.getEventHubProperties, within))

  def properties(partitionId: String, within: Option[Duration]): Mono[PartitionProperties] =
    connection.getManagementNodeWithRetries
      .flatMap[PartitionProperties](node => limited(node.getPartitionProperties(partitionId), within))

  /** The SDK waits for an answer without a limit. */
  private def limited[A](answer: Mono[A], within: Option[Duration]): Mono[A] = within.fold(answer) { time =>
    answer.timeout(time, Mono.defer(() => Mono.error[A](new TimeoutException(s"no answer within ${time.toMillis} ms"))))
  }

  /**
   * The encoded messages of a partition over one link. The subscriber's requests are the link's credit. It must report
   * to `window` what it has taken.
   */
  def messages(
      from: SdkConnection.Place,
      window: ReceiveWindow,
      drain: Option[DrainRequest]
  ): Flux[Array[Byte]] = {
    val opened = new OpenedLinks[AmqpReceiveLink]
    val read: JavaFunction[AmqpReceiveLink, Publisher[Array[Byte]]] = new LinkMessages(_, window, drain, caller)
    // A link may announce a smaller window than the one before it in its session only if both have the same limit.
    val session = sessions.take(s"${pathOf(from)}#${window.limitBytes}")
    link(from, session, opened)
      .flatMapMany[Array[Byte]](read)
      .doFinally { _ =>
        opened.close()
        sessions.release(session)
      }
  }

  /** Completes when the service has admitted a reader, which is then closed. Empty when the connection was lost. */
  def admitted(from: SdkConnection.Place): Mono[AmqpEndpointState] = {
    val opened = new OpenedLinks[AmqpReceiveLink]
    link(from, pathOf(from), opened)
      .flatMap[AmqpEndpointState](_.getEndpointStates.filter(_ == AmqpEndpointState.ACTIVE).next())
      .doFinally(_ => opened.close())
  }

  /** The SDK reports no size for a link that was lost during its opening, as when its connection was replaced. */
  def maxMessageBytes(partitionId: Option[String]): Mono[Integer] =
    tried(senderOf(partitionId).flatMap[Integer](sizeOf(_)), "Opening a link for sending")

  def send(partitionId: Option[String], message: Array[Byte], length: Int): Mono[DeliveryState] =
    tried(
      // A service that refuses the link has not seen the batch, so this error keeps its meaning.
      senderOf(partitionId).flatMap[DeliveryState](link =>
        active(link).flatMap[DeliveryState](_ => deliver(link, message, length))
      ),
      "Sending a batch"
    )

  /** Opens a link that belongs to an idempotent producer, each time another one. */
  def openIdempotent(partitionId: String, claim: ProducerClaim): Mono[IdempotentSendLink] = {
    val path = senderPath(Some(partitionId))
    val name = StringUtil.getRandomString(path)
    idempotent.expect(name, claim)
    val opened = new OpenedLinks[AmqpSendLink]
    val opening = opened
      .keep(connection.getConnection.flatMap[AmqpSendLink](_.createSendLink(name, path, linkOptions, identifier)))
      .flatMap[IdempotentSendLink](link =>
        sizeOf(link).map[IdempotentSendLink](size =>
          new IdempotentSendLink(link, idempotent.granted(name), size, sendOver, closeLink)
        )
      )
      .doFinally { signal =>
        idempotent.forget(name)
        // Nobody else knows the link.
        if (signal != SignalType.ON_COMPLETE) { val _ = caller.schedule(() => opened.close()) }
      }
    tried(opening, "Opening a link for sending")
  }

  private def sendOver(link: AmqpSendLink, message: Array[Byte], length: Int): Mono[DeliveryState] =
    tried(deliver(link, message, length), "Sending a batch").cancelOn(caller)

  private def deliver(link: AmqpSendLink, message: Array[Byte], length: Int): Mono[DeliveryState] =
    Mono.defer[DeliveryState] { () =>
      // The SDK counts whole milliseconds.
      val deadline = System.nanoTime() + MILLISECONDS.toNanos(connection.getRetryOptions.getTryTimeout.toMillis)
      link
        .send(message, length, SdkConnection.BatchFormat, null)
        .onErrorMap { error =>
          SdkConnection.deliveryError(error, link.isDisposed, isLate = System.nanoTime() - deadline >= 0)
        }
    }

  private def closeLink(link: AmqpSendLink): Unit = {
    val _ = Mono.defer(() => link.closeAsync()).subscribeOn(caller).onErrorComplete().subscribe()
  }

  private def sizeOf(link: AmqpSendLink): Mono[Integer] =
    active(link)
      .flatMap[Integer](_ => link.getLinkSize)
      .map[Integer](advertised => SdkConnection.allowed(advertised))

  private def active(link: AmqpSendLink): Mono[AmqpEndpointState] =
    link.getEndpointStates
      .filter(_ == AmqpEndpointState.ACTIVE)
      .next()
      .switchIfEmpty(Mono.error(() => new AmqpException(true, "The link was lost while it was opened.", null, null)))

  override def close(): Unit = {
    sockets.linger()
    connection.dispose()
  }

  /** Closes the connection so that nothing of what waits in it, here or in the kernel, is sent. */
  def abort(): Unit = {
    sockets.abort()
    connection.dispose()
  }

  private def pathOf(place: SdkConnection.Place): String =
    EncodedReceiveHandlers.path(hubName, place.consumerGroup, place.partitionId)

  private def link(
      from: SdkConnection.Place,
      session: String,
      opened: OpenedLinks[AmqpReceiveLink]
  ): Mono[AmqpReceiveLink] = {
    val name = StringUtil.getRandomString(from.partitionId)
    val retries = connection.getRetryOptions
    def open(in: EventHubSession): Mono[AmqpReceiveLink] = in.createConsumer(
      name,
      pathOf(from),
      retries.getTryTimeout,
      RetryUtil.getRetryPolicy(retries),
      from.position,
      from.options,
      identifier
    )
    val opening: Mono[AmqpReceiveLink] = connection.getConnection
      .flatMap[AmqpReceiveLink](amqp =>
        opened.keep(amqp.createSession(session).cast(classOf[EventHubSession]).flatMap[AmqpReceiveLink](open(_)))
      )
      // A channel closes during the call when its connection is lost. The next attempt gets another connection.
      .onErrorMap {
        case closed: RequestResponseChannelClosedException => new AmqpException(true, closed.getMessage, closed, null)
        case other => other
      }
    tried(opening, s"Opening the receive link $name", isLong = true)
  }

  private def senderPath(partitionId: Option[String]): String =
    partitionId.fold(hubName)(id => s"$hubName/Partitions/$id")

  private def senderOf(partitionId: Option[String]): Mono[AmqpSendLink] = {
    val path = senderPath(partitionId)
    connection.getConnection.flatMap[AmqpSendLink](
      _.createSendLink(path, path, linkOptions, identifier)
    )
  }

  /**
   * The SDK's send link sends a rejected message again after its delay, even where no retries are allowed. With a delay
   * that is longer than the time of an attempt it reports the rejection instead. It accepts no delay of zero.
   */
  private def linkOptions: AmqpRetryOptions = {
    val options = connection.getRetryOptions
    val tooLong = options.getTryTimeout.multipliedBy(2)
    new AmqpRetryOptions(options).setMode(AmqpRetryMode.FIXED).setDelay(tooLong).setMaxDelay(tooLong)
  }

  /** Makes each attempt in the connection's thread, because the SDK interrupts the thread in which it would retry. */
  private def tried[A](call: Mono[A], doing: String, isLong: Boolean = false): Mono[A] =
    RetryUtil.withRetry(call.subscribeOn(caller), connection.getRetryOptions, s"$doing timed out.", isLong)
}

private object SdkConnection {

  /** What a reader reads, from where, and with which options. */
  final case class Place(consumerGroup: String, partitionId: String, position: EventPosition, options: ReceiveOptions)

  private def open(
      options: ConnectionOptions,
      hubName: String,
      trust: () => Option[SSLContext],
      sockets: AbortableSockets,
      serializer: PartitionEpochs,
      idempotent: IdempotentLinks
  ): EventHubReactorAmqpConnection = {
    lazy val reactors: ReactorProvider = new GuardedReactors(sockets, error => handlers.fail(error))
    lazy val handlers: EncodedReceiveHandlers = new EncodedReceiveHandlers(reactors, trust)
    new EventHubReactorAmqpConnection(
      StringUtil.getRandomString("MF"),
      options,
      hubName,
      reactors,
      handlers,
      new ZeroCopySendLinks(idempotent),
      new AzureTokenManagerProvider(
        options.getAuthorizationType,
        options.getFullyQualifiedNamespace,
        options.getAuthorizationScope
      ),
      serializer,
      true,
      true
    )
  }

  /**
   * A link without `max-message-size`, or with 0, has no limit. The SDK reports 0 for it, and a negative number for a
   * limit that is no Int.
   */
  def allowed(advertised: Int): Int = if (advertised > 0) advertised else Int.MaxValue

  /**
   * What the SDK's error says about a delivery. The SDK reports two errors of a link also for deliveries without an
   * answer, which may be stored: the reason for which the service has closed the link, and the last rejection on the
   * link when the time of an attempt is over. Neither may pass for an answer to this delivery.
   *
   * @param isClosed whether the link is closed; the SDK closes it before it reports the error
   * @param isLate   whether the time of the attempt is over
   */
  def deliveryError(error: Throwable, isClosed: Boolean, isLate: Boolean): Throwable = error match {
    case amqp: AmqpException if Answers.contains(amqp.getErrorCondition) && (isClosed || isLate) =>
      val unanswered = if (isClosed) AmqpErrorCondition.LINK_DETACH_FORCED else AmqpErrorCondition.TIMEOUT_ERROR
      new AmqpException(true, unanswered, amqp.getMessage, amqp, null)
    case other => other
  }

  /** Errors that a delivery may have as its answer, and that do not say themselves that its result is unknown. */
  private val Answers: Set[AmqpErrorCondition] = Set(
    AmqpErrorCondition.SERVER_BUSY_ERROR,
    AmqpErrorCondition.INTERNAL_ERROR,
    AmqpErrorCondition.RESOURCE_LIMIT_EXCEEDED
  )

  /** The message format of a batch. */
  private val BatchFormat = 0x80013700
}
