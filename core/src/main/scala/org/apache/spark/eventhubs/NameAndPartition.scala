package org.apache.spark.eventhubs

/**
 * A partition of an event hub, as in the keys of `eventhubs.startingPositions` and in checkpoints.
 *
 * @param ehName      the event hub's name
 * @param partitionId from 0 until the hub's partition count
 */
final case class NameAndPartition(ehName: String, partitionId: Int) {

  def toTuple: (String, Int) = (ehName, partitionId)

  /** JSON, as in the options and in the legacy connector. */
  override def toString: String = s"""{"ehName":${Json.mapper.writeValueAsString(ehName)},"partitionId":$partitionId}"""
}

object NameAndPartition {

  /**
   * Reads the JSON that `toString` returns.
   *
   * @throws IllegalArgumentException if the text is not JSON with the fields `ehName` and `partitionId`
   */
  def fromString(text: String): NameAndPartition = parse(text).getOrElse {
    throw new IllegalArgumentException(
      s"'$text' is not a partition of an event hub; expected JSON such as ${NameAndPartition("telemetry", 0)}"
    )
  }

  private[eventhubs] def parse(text: String): Option[NameAndPartition] =
    Json.read(text).toOption.filter(_.isObject).flatMap { node =>
      for {
        name <- Option(node.get("ehName")).map(_.asText)
        id <- Option(node.get("partitionId")).flatMap(field => partitionId(field.asText))
      } yield NameAndPartition(name, id)
    }

  /** Ids begin at 0. */
  private[eventhubs] def partitionId(text: String): Option[Int] = text.trim.toIntOption.filter(_ >= 0)
}
