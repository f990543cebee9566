package org.apache.spark.eventhubs.connection.replay

import org.apache.spark.eventhubs.Json
import org.apache.spark.eventhubs.connection.replay.AmqpHex.{described, hex, list}

/**
 * A frame of the service from the file of `spark-eventhubs verify --trace`, in hexadecimal digits.
 *
 * @param code    of the performative
 * @param fields  of the performative, each encoded
 * @param message of a transfer; what users write into events is masked
 */
final case class RecordedFrame(code: Int, fields: Vector[String], message: String) {

  /** The performative with fields that the replaying client chose, such as its handle. All others stay as they were. */
  def having(own: (Int, String)*): String = described(
    code,
    list(own.foldLeft(fields)((all, each) =>
      all.updated(each._1, each._2)
    ): _*)
  )

  def mentions(text: String): Boolean = (fields.mkString + message).contains(hex(text.getBytes("US-ASCII")))

  /** The values of the message's sections, by their codes. */
  lazy val sections: Map[Int, String] = {
    val values = RecordedFrame.values(message)
    values.map(value => Integer.parseInt(value.slice(4, 6), 16) -> value.drop(6)).toMap
  }
}

object RecordedFrame {

  def ofTrace(lines: String): Vector[RecordedFrame] = lines.linesIterator.filter(_.nonEmpty).map { line =>
    val node = Json.mapper.readTree(line)
    val frame = node.get("frame").asText
    RecordedFrame(
      Integer.parseInt(frame.slice(4, 6), 16),
      items(frame.drop(6)),
      Option(node.get("message")).fold("")(_.asText)
    )
  }.toVector

  /** The items of a list, or the keys and values of a map. */
  def items(value: String): Vector[String] = value.take(2) match {
    case "45" => Vector.empty
    case "c0" | "c1" => values(value.drop(6))
    case "d0" | "d1" => values(value.drop(18))
    case other => throw new IllegalArgumentException(s"neither a list nor a map: $other")
  }

  /** Encoded values that follow each other. */
  def values(digits: String): Vector[String] =
    Iterator.unfold(digits) { rest =>
      if (rest.isEmpty) None
      else Some(rest.splitAt(length(rest)))
    }.toVector

  private def length(digits: String): Int = {
    def number(from: Int, until: Int): Int = Integer.parseInt(digits.slice(from, until), 16)
    digits.head match {
      case '0' =>
        val descriptor = length(digits.drop(2))
        2 + descriptor + length(digits.drop(2 + descriptor))
      case '4' => 2
      case '5' => 4
      case '6' => 6
      case '7' => 10
      case '8' => 18
      case '9' => 34
      case 'a' | 'c' | 'e' => 4 + 2 * number(2, 4)
      case _ => 10 + 2 * number(2, 10)
    }
  }
}
