package localhub.amqp.layer

import java.net.{InetAddress, URI}

import scala.util.Try

/**
 * Refuses requests that web pages of other sites send through the user's browser, also after DNS rebinding (a name of
 * the site that resolves to this machine).
 *
 * @param host the listening address; if it is not loopback, any host name is accepted
 */
private[localhub] final class OriginGuard(host: String) {
  private val onlyLoopback = Try(InetAddress.getByName(host).isLoopbackAddress).getOrElse(false)

  /** @return why the request is refused, or None */
  def refusal(hostHeader: Option[String], origin: Option[String]): Option[String] = {
    val name = hostHeader.flatMap(text => authorityHost(s"http://$text"))
    if (onlyLoopback && !name.exists(isLoopbackName))
      Some(s"This hub serves this machine only, not the host name '${hostHeader.getOrElse("")}'.")
    else if (origin.exists(from => hostHeader.forall(own => from != s"http://$own" && from != s"https://$own")))
      Some(s"Pages from '${origin.getOrElse("")}' may not use this hub.")
    else None
  }

  private def isLoopbackName(name: String): Boolean =
    name.equalsIgnoreCase("localhost") || name == host || name == "[::1]" || name.matches("127(\\.\\d{1,3}){3}")

  private def authorityHost(url: String): Option[String] = Try(Option(new URI(url).getHost)).toOption.flatten
}
