package org.apache.spark.eventhubs.proxy

import java.net.{InetSocketAddress, Proxy, ProxySelector, URI, URLDecoder}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Locale
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.azure.core.amqp.{ProxyAuthenticationType, ProxyOptions}
import com.azure.core.util.Configuration

import org.apache.spark.eventhubs.options.{
  ConnectionSettings,
  ProxyAddress,
  ProxyScheme,
  ProxySettings,
  ProxySignIn,
  Transport
}
import org.apache.spark.eventhubs.{EventHubsErrors, EventHubsException, Secret}
import org.apache.spark.internal.Logging

/**
 * The HTTP proxy of a WebSocket connection.
 *
 * @param source what names it, for errors
 */
private[eventhubs] final case class HttpProxy(address: ProxyAddress, source: String, signIn: Option[ProxySignIn]) {

  def toSdk: ProxyOptions = new ProxyOptions(
    signIn.map(_.scheme) match {
      case Some(ProxyScheme.Basic) => ProxyAuthenticationType.BASIC
      case Some(ProxyScheme.Digest) => ProxyAuthenticationType.DIGEST
      case None => ProxyAuthenticationType.NONE
    },
    new Proxy(Proxy.Type.HTTP, InetSocketAddress.createUnresolved(address.host, address.port)),
    signIn.map(_.username).orNull,
    signIn.map(_.password.value).orNull
  )

  override def toString: String = s"$address (from $source)"
}

/** The proxies of this JVM's connections, for errors: the SDK's own name none. */
private[eventhubs] object UsedProxies {

  private val byNamespace = new ConcurrentHashMap[String, String]

  def add(namespace: String, proxy: HttpProxy): Unit = { byNamespace.put(namespace, proxy.toString); () }

  def of(namespace: String): String = byNamespace.getOrDefault(namespace, "of the JVM")
}

private[eventhubs] object HttpProxy extends Logging {

  private val Expected = "a proxy as host:port, http://host:port or http://user:password@host:port"

  /** What names a proxy for HTTPS, the first one that is set. */
  private val Variables = Seq("HTTPS_PROXY", "HTTP_PROXY")

  /**
   * The proxy of a connection: from its options, else from the environment, else from the JVM. None for a connection
   * without a proxy.
   *
   * @param host of the service; likewise `port`
   * @throws org.apache.spark.eventhubs.EventHubsException for a variable that names no HTTP proxy
   */
  def of(settings: ConnectionSettings, host: String, port: Int): Option[HttpProxy] =
    if (settings.transport != Transport.AmqpWebSockets) None else named(settings.proxy, host, port)(throw _)

  /**
   * Chooses the proxy of HTTPS requests, such as those of the sign-in: they use a proxy with each transport. A variable
   * that names no HTTP proxy is for other programs: without proxy options, the request is made as if it were not set.
   */
  def ofRequest(settings: ProxySettings, host: String, port: Int): Option[HttpProxy] =
    named(settings, host, port)(unusable => {
      logWarning(s"A sign-in does not use the proxy of the environment, because of: ${unusable.getMessage}")
      None
    })

  private def named(settings: ProxySettings, host: String, port: Int)(
      unusable: EventHubsException => Option[HttpProxy]
  ): Option[HttpProxy] =
    settings.address.map(HttpProxy(_, "'eventhubs.proxy.address'", None))
      .orElse(if (isExcluded(host, port)) None else fromEnvironment.flatMap(_.fold(unusable, Some(_))))
      .orElse(fromJvm(host, port))
      .map(proxy => proxy.copy(signIn = settings.signIn.orElse(proxy.signIn)))

  private def fromEnvironment: Option[Either[EventHubsException, HttpProxy]] =
    Variables.flatMap(name => variable(name).map(name -> _)).headOption.map { case (name, value) =>
      parse(name, value).toRight(EventHubsErrors.invalidOption(name, ProxyAddress.shown(value), Expected))
    }

  /** The SDK passes no further than the scheme of such a value, and connects without the proxy. */
  private def parse(name: String, value: String): Option[HttpProxy] =
    Try(new URI(if (value.contains("://")) value else s"http://$value")).toOption
      .filter(uri => "http".equalsIgnoreCase(uri.getScheme) && Option(uri.getHost).isDefined)
      .map { uri =>
        val address = ProxyAddress(uri.getHost, if (uri.getPort < 0) 80 else uri.getPort)
        HttpProxy(address, s"the environment variable $name", signIn(Option(uri.getRawUserInfo)))
      }

  /** User name and password in the address, else the variables that the SDK reads. */
  private def signIn(inAddress: Option[String]): Option[ProxySignIn] = {
    val scheme =
      if (variable("PROXY_AUTHENTICATION_TYPE").exists(_.equalsIgnoreCase("DIGEST"))) ProxyScheme.Digest
      else ProxyScheme.Basic
    val stated = inAddress.map(_.split(":", 2).map(decoded).toSeq).collect {
      case Seq(username, password) => (username, password)
    }
    stated
      .orElse(for (user <- variable("PROXY_USERNAME"); password <- variable("PROXY_PASSWORD")) yield (user, password))
      .map { case (username, password) => ProxySignIn(username, Secret(password), scheme) }
  }

  /** In a URL's authority a plus sign stands for itself, and not for a space as in a form. */
  private def decoded(part: String): String = URLDecoder.decode(part.replace("+", "%2B"), UTF_8.name)

  private def fromJvm(host: String, port: Int): Option[HttpProxy] =
    Option(ProxySelector.getDefault)
      .flatMap(_.select(URI.create(s"https://$host:$port")).asScala.headOption)
      .filter(_.`type` == Proxy.Type.HTTP)
      .map(_.address)
      .collect { case address: InetSocketAddress =>
        HttpProxy(ProxyAddress(address.getHostString, address.getPort), "the JVM's proxy settings", None)
      }

  /** Whether NO_PROXY names the host: a name, a domain with all its hosts, either with a port, or `*`. */
  private def isExcluded(host: String, port: Int): Boolean = variable("NO_PROXY").exists { value =>
    value.split("[,\\s]+").map(_.toLowerCase(Locale.ROOT)).exists { entry =>
      val (name, itsPort) = entry.split(":", 2) match {
        case Array(name, itsPort) => (name, itsPort == port.toString)
        case _ => (entry, true)
      }
      val domain = name.stripPrefix("*").stripPrefix(".")
      val hosts = host.toLowerCase(Locale.ROOT)
      entry == "*" || domain.nonEmpty && itsPort && (hosts == domain || hosts.endsWith(s".$domain"))
    }
  }

  /** Upper or lower case, as other programs accept them. The SDK's configuration also has the JVM's properties. */
  private def variable(name: String): Option[String] = {
    val configuration = Configuration.getGlobalConfiguration
    Seq(name, name.toLowerCase(Locale.ROOT)).flatMap(key => Option(configuration.get(key))).map(_.trim).find(_.nonEmpty)
  }
}
