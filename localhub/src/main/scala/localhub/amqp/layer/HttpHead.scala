package localhub.amqp.layer

import java.net.URLDecoder
import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.util.Locale

/**
 * An HTTP request.
 *
 * @param path    decoded, without host and query; None for another method than GET and PUT
 * @param query   decoded; of a name that occurs twice, the last value
 * @param headers by name in lower case
 */
private[amqp] final case class HttpHead(
    path: Option[String],
    query: Map[String, String],
    headers: Map[String, String],
    method: String = "GET",
    body: String = ""
) {

  /** Bytes of the body. */
  def length: Int = headers.get("content-length").flatMap(_.toIntOption).filter(_ > 0).getOrElse(0)

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
    val first = lines.headOption.map(_.split(' ')).collect { case line @ Array("GET" | "PUT", _, _) => line }
    val target = first.map(line => withoutHost(line(1)))
    val query = target.map(_.dropWhile(_ != '?').drop(1)).filter(_.nonEmpty).toSeq.flatMap(_.split('&')).map { pair =>
      val (name, value) = pair.span(_ != '=')
      decoded(name) -> decoded(value.drop(1))
    }
    val path = target.map(text => decoded(text.takeWhile(_ != '?')))
    HttpHead(path, query.toMap, headers.toMap, first.fold("")(_(0)))
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
