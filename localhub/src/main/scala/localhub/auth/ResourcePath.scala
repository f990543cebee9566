package localhub.auth

import java.net.URLDecoder
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Locale

import scala.util.Try

/**
 * The resource of a token or a link: the path of its URI in lower case. Scheme, host and port are dropped, because SDKs
 * write them in different ways (`sb://`, `amqp://`, with or without port).
 */
private[localhub] final case class ResourcePath private (value: String) {

  /** Whether this is `other` or a parent of it; the namespace (an empty path) covers everything. */
  def covers(other: ResourcePath): Boolean =
    value.isEmpty || other.value == value || other.value.startsWith(value + "/")

  /** The event hub's name in lower case; None for the namespace. */
  def first: Option[String] = Some(value.takeWhile(_ != '/')).filter(_.nonEmpty)
}

private[localhub] object ResourcePath {
  val Namespace: ResourcePath = new ResourcePath("")

  /** @param uri with a scheme and a host, or only a path */
  def apply(uri: String): ResourcePath = ofPath(uri.indexOf("://") match {
    case -1 => uri
    case scheme => afterHost(uri.substring(scheme + 3))
  })

  /**
   * Reads the resource that a token names: also `host/hub`, without a scheme.
   *
   * @param host the server's name as the client wrote it
   */
  def of(uri: String, host: String): ResourcePath =
    if (uri.contains("://") || !isHost(uri.takeWhile(_ != '/'), host)) ResourcePath(uri)
    else ofPath(afterHost(uri))

  private def isHost(text: String, host: String): Boolean = {
    val name = text.takeWhile(_ != ':')
    name.nonEmpty && (name != text || name.equalsIgnoreCase(host) || name.equalsIgnoreCase("localhost"))
  }

  private def afterHost(text: String): String = text.dropWhile(_ != '/')

  private def ofPath(path: String): ResourcePath = {
    val decoded = Try(URLDecoder.decode(path.replace("+", "%2B"), UTF_8)).getOrElse(path)
    new ResourcePath(decoded.split('/').filter(_.nonEmpty).mkString("/").toLowerCase(Locale.ROOT))
  }
}
