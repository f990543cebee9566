package localhub.schemas

import java.util.Locale

/**
 * A format of Azure Schema Registry.
 *
 * @param contentType of a request or an answer with a schema in this format
 * @param since       the first version of the API that has it
 */
sealed abstract class SchemaFormat(val name: String, val contentType: String, val since: String) {
  override def toString: String = name
}

object SchemaFormat {
  case object Avro extends SchemaFormat("Avro", "application/json; serialization=Avro", "2021-10")
  case object Json extends SchemaFormat("Json", "application/json; serialization=Json", "2022-10")
  case object Custom extends SchemaFormat("Custom", "text/plain; charset=utf-8", "2022-10")
  case object Protobuf extends SchemaFormat("Protobuf", "text/vnd.ms.protobuf", "2023-07-01")

  val all: Seq[SchemaFormat] = Seq(Avro, Json, Custom, Protobuf)

  /** @param name in upper or lower case */
  def named(name: String): Option[SchemaFormat] = all.find(_.name.equalsIgnoreCase(name))

  /** The official clients differ in spaces and case. */
  private[localhub] def ofContentType(text: String): Option[SchemaFormat] =
    all.find(format => plain(format.contentType) == plain(text))

  private def plain(contentType: String): String = contentType.replace(" ", "").toLowerCase(Locale.ROOT)
}
