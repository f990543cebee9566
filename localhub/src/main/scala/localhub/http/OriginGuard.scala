package localhub.http

import java.net.{InetAddress, URI}

import scala.util.Try

/**
 * Keeps web pages of other sites from using the hub through the browser of whoever runs it: a page may send requests to
 * this machine, also under a name of its own that it lets point here.
 *
 * @param host what is listened on; when that is not loopback, any name may be the right one
 */
final class OriginGuard(host: String) {
  private val onlyLoopback = Try(InetAddress.getByName(host).isLoopbackAddress).getOrElse(false)

  /** @return why the request is refused, if it is */
  def refusal(hostHeader: Option[String], origin: Option[String]): Option[String] = {
    val name = hostHeader.flatMap(text => authorityHost(s"http://$text"))
    if (onlyLoopback && !name.exists(isLoopbackName))
      Some(s"This hub is for this machine only; it is not reached as '${hostHeader.getOrElse("")}'.")
    else if (origin.exists(from => hostHeader.forall(own => from != s"http://$own")))
      Some(s"Pages from '${origin.getOrElse("")}' may not use this hub.")
    else None
  }

  private def isLoopbackName(name: String): Boolean =
    name.equalsIgnoreCase("localhost") || name == host || name == "[::1]" || name.matches("127(\\.\\d{1,3}){3}")

  private def authorityHost(url: String): Option[String] = Try(Option(new URI(url).getHost)).toOption.flatten
}
