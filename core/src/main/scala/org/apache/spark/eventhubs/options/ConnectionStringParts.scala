package org.apache.spark.eventhubs.options

import java.util.Locale

import org.apache.spark.eventhubs.{EventHubsErrors, EventHubsException}

/** The `name=value` pairs of a connection string by canonical name. [[ConnectionString]] interprets them. */
private[eventhubs] final case class ConnectionStringParts(values: Map[String, String]) {

  def get(name: String): Option[String] = values.get(name)

  def set(name: String, value: String): ConnectionStringParts = copy(values.updated(name, value))

  def remove(name: String): ConnectionStringParts = copy(values - name)

  /** The connection string, secrets included. */
  def render: String =
    ConnectionStringParts.Names.flatMap(name => values.get(name).map(value => s"$name=$value")).mkString(";")

  /** The names of the parts, without values. */
  def shown: String = ConnectionStringParts.Names.filter(values.contains).mkString(", ")

  override def toString: String = s"ConnectionStringParts($shown)"
}

private[eventhubs] object ConnectionStringParts {
  val Endpoint = "Endpoint"
  val Hostname = "Hostname"
  val EntityPath = "EntityPath"
  val SharedAccessKeyName = "SharedAccessKeyName"
  val SharedAccessKey = "SharedAccessKey"
  val SharedAccessSignature = "SharedAccessSignature"
  val OperationTimeout = "OperationTimeout"
  val TransportType = "TransportType"
  val UseDevelopmentEmulator = "UseDevelopmentEmulator"

  /** In the legacy connector's order. */
  val Names: Seq[String] = Seq(
    Endpoint,
    Hostname,
    EntityPath,
    SharedAccessKeyName,
    SharedAccessKey,
    SharedAccessSignature,
    OperationTimeout,
    TransportType,
    UseDevelopmentEmulator
  )

  val empty: ConnectionStringParts = ConnectionStringParts(Map.empty)

  /** Errors show a part's number, not its text, because any part of a malformed string may contain a secret. */
  def parse(text: String): ConnectionStringParts = {
    val whole = plain(text)
    foreign(whole).foreach(problem => throw malformed(problem))
    val pieces = whole.split(';').toSeq.map(_.trim).filter(_.nonEmpty)
    if (pieces.isEmpty) throw malformed("is empty")
    pieces.zipWithIndex.foldLeft(empty) { case (parts, (piece, index)) =>
      val (name, value) = part(piece, index + 1)
      if (parts.values.contains(name)) throw malformed(s"has $name twice")
      parts.set(name, value)
    }
  }

  private val OtherServices = Seq(
    "accountkey=" -> "is one of an Azure Storage or Cosmos DB account, not of Event Hubs",
    "instrumentationkey=" -> "is one of Application Insights, not of Event Hubs",
    ".azure-devices.net" -> "is one of an IoT hub; use that of its built-in endpoint, which the portal shows"
  )

  /** Recognises what users often take for the connection string of an event hub. */
  private def foreign(text: String): Option[String] =
    if (text.startsWith("'") || text.startsWith("\"")) Some("is in quotation marks; remove them")
    else OtherServices.collectFirst { case (sign, problem) if text.toLowerCase(Locale.ROOT).contains(sign) => problem }

  /** The plain text. It decrypts a text that the legacy connector encrypted. */
  def plain(text: String): String =
    if (!LegacyEncryption.looksEncrypted(text.trim)) text.trim
    else
      LegacyEncryption.decrypt(text.trim).getOrElse(
        throw malformed(
          "seems to be encrypted, but not by the legacy connector 2.3.22; use the plain connection string"
        )
      )

  def malformed(problem: String): EventHubsException = EventHubsErrors.invalidConnectionString(problem)

  /** Returns a part that a string had before, when it was read from where it is kept. */
  def needed(parts: ConnectionStringParts, name: String): String =
    parts.get(name).getOrElse(throw malformed(s"has no $name any more"))

  /** Splits at the first `=` only, because keys end with `=`. */
  private def part(piece: String, number: Int): (String, String) = piece.split("=", 2) match {
    case Array(written, value) =>
      val name = Names.find(_.equalsIgnoreCase(written.trim)).getOrElse {
        val near = EditDistance.nearest(written.trim, Names).fold("")(name => s" (did you mean $name?)")
        throw malformed(s"has a part $number with an unknown name$near; expected one of ${Names.mkString(", ")}")
      }
      if (value.trim.isEmpty) throw malformed(s"has no value for $name")
      name -> value.trim
    case _ => throw malformed(s"has a part $number without '='")
  }
}
