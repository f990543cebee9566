package com.azure.messaging.eventhubs

import java.lang.reflect.{InvocationHandler, InvocationTargetException, Method, Proxy}

import com.azure.core.amqp.implementation.ReactorProvider
import org.apache.qpid.proton.engine.HandlerException
import org.apache.qpid.proton.reactor.Reactor

/**
 * Creates the reactors of connections. When the connection's thread meets an Error, such as OutOfMemoryError, bytes of
 * any of its links may be lost. The SDK would report nothing, wait, and continue where proton-j stopped. So all links
 * end with the Error, and the SDK gets an exception that makes it close the connection.
 *
 * @param sockets learns of the sockets that the reactors open
 * @param onError called in the connection's thread
 */
private final class GuardedReactors(sockets: AbortableSockets, onError: Throwable => Unit) extends ReactorProvider {

  override def createReactor(connectionId: String, maxFrameBytes: Int): Reactor = {
    val isFirst = Option(getReactor).isEmpty
    val reactor = super.createReactor(connectionId, maxFrameBytes)
    if (isFirst) sockets.watch(reactor, this)
    GuardedReactors.guarded(reactor, onError)
  }
}

private object GuardedReactors {

  private def guarded(reactor: Reactor, onError: Throwable => Unit): Reactor =
    Proxy.newProxyInstance(
      classOf[Reactor].getClassLoader,
      Array(classOf[Reactor]),
      new Guard(reactor, onError)
    ) match {
      case proxy: Reactor => proxy
      case other => throw new IllegalStateException(s"the proxy of a Reactor is a ${other.getClass.getName}")
    }

  private final class Guard(reactor: Reactor, onError: Throwable => Unit) extends InvocationHandler {

    override def invoke(proxy: AnyRef, method: Method, arguments: Array[AnyRef]): AnyRef =
      try method.invoke(reactor, Option(arguments).fold(Seq.empty[AnyRef])(_.toSeq): _*)
      catch {
        case failed: InvocationTargetException =>
          failed.getCause match {
            case error: Error if method.getName == "process" =>
              onError(error)
              throw new HandlerException(null, error)
            case other => throw other
          }
      }
  }
}
