package org.apache.spark.eventhubs.connection

import java.io.IOException
import java.net.{Authenticator, Socket, UnknownHostException}

import org.apache.spark.eventhubs.options.{ConnectionSettings, ProxySignIn}
import org.apache.spark.eventhubs.proxy.{HttpProxy, ProxyRefusal, ProxyTunnel}
import org.apache.spark.eventhubs.{EventHubsErrors, EventHubsException}

/** Checks that an HTTP proxy opens a connection to the service. The SDK would retry until its timeout. */
private[eventhubs] object ProxyProbe {

  /**
   * @param through uses the open tunnel, where there is one: the SDK alone signs in with the JVM's authenticator
   * @throws EventHubsException EVENTHUBS_PROXY
   */
  def check(settings: ConnectionSettings, proxy: HttpProxy, target: String, timeoutMillis: Int)(
      through: Socket => Unit
  ): Unit = {
    def refused(said: String, cause: Option[Throwable] = None): EventHubsException =
      EventHubsErrors.proxy(settings.hub, "connecting", proxy.toString, said, cause)
    def refusedWith(answer: ProxyTunnel) = refused(s"it answered '${answer.line}' to a request for $target")
    def answered(signIn: Option[ProxySignIn], challenges: Seq[String])(next: ProxyTunnel => Unit): Unit = {
      val answer =
        try ProxyTunnel.open(proxy, target, timeoutMillis, signIn, challenges)
        catch {
          case failed: UnknownHostException => throw refused(s"the name '${failed.getMessage}' cannot be resolved")
          case failed: IOException => throw refused(failed.getMessage, Some(failed))
        }
      try next(answer)
      finally answer.socket.close()
    }
    // Without the sign-in, as the SDK's first request: it closes a connection that then needs none.
    answered(signIn = None, Nil) { first =>
      if (first.isOpen) {
        if (proxy.signIn.isDefined) throw refused(ProxyRefusal.NeedlessSignIn)
        through(first.socket)
      } else if (!first.status.contains(ProxyTunnel.SignInNeeded)) throw refusedWith(first)
      else if (proxy.signIn.isDefined)
        answered(proxy.signIn, first.challenges) { second =>
          if (second.isOpen) through(second.socket) else throw refusedWith(second)
        }
      else if (Option(Authenticator.getDefault).isEmpty) throw refusedWith(first)
    }
  }
}
