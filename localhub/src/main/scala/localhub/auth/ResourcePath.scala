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
}

private[localhub] object ResourcePath {
  val Namespace: ResourcePath = new ResourcePath("")

  def apply(uri: String): ResourcePath = {
    val path = uri.indexOf("://") match {
      case -1 => uri
      case scheme =>
        uri.indexOf('/', scheme + 3) match {
          case -1 => ""
          case slash => uri.substring(slash)
        }
    }
    val decoded = Try(URLDecoder.decode(path.replace("+", "%2B"), UTF_8)).getOrElse(path)
    new ResourcePath(decoded.split('/').filter(_.nonEmpty).mkString("/").toLowerCase(Locale.ROOT))
  }
}
