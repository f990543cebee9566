package org.apache.spark.eventhubs.registry

/** The id of a schema in a registry: 32 hexadecimal digits. The schema of an id never changes. */
private[spark] final case class SchemaId private (text: String) {
  override def toString: String = text
}

private[spark] object SchemaId {

  val Length = 32

  def parse(text: String): Option[SchemaId] =
    Option.when(text.length == Length && text.forall(isHexDigit))(new SchemaId(text))

  private def isHexDigit(digit: Char): Boolean =
    (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f') || (digit >= 'A' && digit <= 'F')
}
