package localhub.http

import java.time.OffsetDateTime
import java.time.format.DateTimeParseException

/** Query parameters of a URL. */
private[localhub] object Parameters {

  /** Refuses unknown parameters, because a misspelt one would silently do nothing. */
  def check(query: Map[String, String], known: String*): Unit =
    query.keys.find(!known.contains(_)).foreach { unknown =>
      throw BadRequest(s"'$unknown' is not a parameter of this request; expected one of ${known.mkString(", ")}.")
    }

  def long(query: Map[String, String], name: String): Option[Long] = query.get(name).map { text =>
    text.toLongOption.getOrElse(throw BadRequest(s"$name is '$text'; expected a whole number."))
  }

  /** A time such as `2026-11-25T17:00:00Z`, in epoch milliseconds. */
  def time(query: Map[String, String], name: String): Option[Long] = query.get(name).map { text =>
    try OffsetDateTime.parse(text).toInstant.toEpochMilli
    catch {
      case _: DateTimeParseException =>
        throw BadRequest(s"$name is '$text'; expected a time with its zone, such as 2026-11-25T17:00:00Z.")
    }
  }

  /** A sequence number for each partition that a list continues in: `0:17,3:4`. */
  def cursor(query: Map[String, String], name: String, partitions: Int): Option[Map[Int, Long]] =
    query.get(name).map { text =>
      text.split(',').map {
        case CursorPart(id, sequenceNumber) if id.toInt < partitions => id.toInt -> sequenceNumber.toLong
        case _ => throw BadRequest(s"$name is '$text'; expected the 'next' of the page before.")
      }.toMap
    }

  def cursorText(next: Map[Int, Long]): String =
    next.toSeq.sorted.map { case (id, sequenceNumber) => s"$id:$sequenceNumber" }.mkString(",")

  private val CursorPart = """(\d{1,4}):(\d{1,18})""".r
}
