package com.azure.messaging.eventhubs

import java.lang.reflect.{InvocationHandler, InvocationTargetException, Method, Proxy}
import java.nio.ByteBuffer

import com.azure.core.amqp.implementation._
import com.azure.core.amqp.implementation.handler.SendLinkHandler
import com.azure.core.amqp.{AmqpConnection => SdkAmqpConnection, AmqpRetryOptions}
import org.apache.qpid.proton.codec.ReadableBuffer
import org.apache.qpid.proton.engine.Sender
import reactor.core.scheduler.Scheduler

/**
 * Creates send links that pass a message's array to proton-j without a copy. The SDK makes proton-j copy each message,
 * which was two thirds of all bytes that a writing JVM allocated, in arrays of up to 1 MB, which are expensive for the
 * garbage collector. Proton-j still copies once, into the frames for the socket, TLS or web socket.
 *
 * The array must not change before the service has accepted the message, and never if the service has not accepted it.
 *
 * @param idempotent completes the attach frames of idempotent producers
 */
private final class ZeroCopySendLinks(idempotent: IdempotentLinks) extends AmqpLinkProvider {

  override def createSendLink(
      connection: SdkAmqpConnection,
      entityPath: String,
      sender: Sender,
      handler: SendLinkHandler,
      provider: ReactorProvider,
      tokens: TokenManager,
      serializer: MessageSerializer,
      retryOptions: AmqpRetryOptions,
      scheduler: Scheduler,
      metrics: AmqpMetricsProvider
  ): AmqpSendLink = {
    idempotent.opening(sender)
    super.createSendLink(
      connection,
      entityPath,
      ZeroCopySendLinks.of(sender),
      handler,
      provider,
      tokens,
      serializer,
      retryOptions,
      scheduler,
      metrics
    )
  }
}

private object ZeroCopySendLinks {

  /** A proxy is fast enough for a few calls per batch. */
  private def of(sender: Sender): Sender =
    Proxy.newProxyInstance(classOf[Sender].getClassLoader, Array(classOf[Sender]), new Uncopied(sender)) match {
      case proxy: Sender => proxy
      case other => throw new IllegalStateException(s"the proxy of a Sender is a ${other.getClass.getName}")
    }

  private final class Uncopied(sender: Sender) extends InvocationHandler {

    override def invoke(proxy: AnyRef, method: Method, arguments: Array[AnyRef]): AnyRef =
      (method.getName, Option(arguments).fold(Seq.empty[AnyRef])(_.toSeq)) match {
        case ("send", Seq(bytes: Array[Byte], from: Integer, length: Integer)) =>
          Int.box(sender.sendNoCopy(ReadableBuffer.ByteBufferReader.wrap(ByteBuffer.wrap(bytes, from, length).slice())))
        case (_, given) =>
          try method.invoke(sender, given: _*)
          catch { case failed: InvocationTargetException => throw failed.getCause }
      }
  }
}
