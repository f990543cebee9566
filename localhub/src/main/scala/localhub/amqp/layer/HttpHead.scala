package localhub.amqp.layer

import java.net.URLDecoder
import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.util.Locale

/**
 * An HTTP request.
 *
 * @param path     decoded, without host and query; None for another method than GET, PUT and POST
 * @param query    decoded; of a name that occurs twice, the last value
 * @param headers  by name in lower case
 * @param segments of the path, each decoded
 * @param scheme   `https` when it came over TLS
 */
private[amqp] final case class HttpHead(
    path: Option[String],
    query: Map[String, String],
    headers: Map[String, String],
    method: String = "GET",
    body: String = "",
    segments: List[String] = Nil,
    scheme: String = "http"
) {

  /** Bytes of the body. */
  def length: Long = headers.get("content-length").flatMap(_.toLongOption).filter(_ > 0).getOrElse(0L)

  def hasUnknownLength: Boolean = headers.contains("transfer-encoding")

  /** Whether a header is a list that has this word, in any case. */
  def lists(header: String, word: String): Boolean =
    headers.get(header).exists(_.split(',').exists(_.trim.equalsIgnoreCase(word)))
}

private[amqp] object HttpHead {

  def parse(bytes: Array[Byte]): HttpHead = {
    val lines = new String(bytes, ISO_8859_1).split("\r\n").toSeq
    val headers = lines.drop(1).map(_.split(":", 2)).collect { case Array(name, value) =>
      name.trim.toLowerCase(Locale.ROOT) -> value.trim
    }
    val first = lines.headOption.map(_.split(' ')).collect { case line @ Array("GET" | "PUT" | "POST", _, _) => line }
    val target = first.map(line => withoutHost(line(1)))
    val query = target.map(_.dropWhile(_ != '?').drop(1)).filter(_.nonEmpty).toSeq.flatMap(_.split('&')).map { pair =>
      val (name, value) = pair.span(_ != '=')
      decoded(name) -> decoded(value.drop(1))
    }
    val path = target.map(_.takeWhile(_ != '?'))
    val segments = path.fold(List.empty[String])(_.split('/').toList.filter(_.nonEmpty)).map(part =>
      decoded(part.replace("+", "%2B"))
    )
    HttpHead(path.map(decoded), query.toMap, headers.toMap, first.fold("")(_(0)), segments = segments)
  }

  /** The Java SDK sends an absolute URL, as to a proxy. */
  private def withoutHost(target: String): String = target.indexOf("://") match {
    case -1 => target
    case scheme => target.drop(scheme + 3).dropWhile(_ != '/')
  }

  private def decoded(text: String): String =
    try URLDecoder.decode(text, UTF_8)
    catch { case _: IllegalArgumentException => text }
}
