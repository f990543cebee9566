package localhub.browse

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.util.Base64

import scala.collection.mutable
import scala.util.Try

import localhub.schemas.{AvroSchema, RegisteredSchema, SchemaFormat, SchemaRegistry}

/** Decodes the bodies of events that name a schema of the registry, as Azure's serializers write them. For one page. */
private[localhub] final class SchemaBodies(registry: SchemaRegistry) {
  import SchemaBodies._

  private val parsed = mutable.HashMap.empty[String, Either[String, AvroSchema]]

  /** The event as JSON. If it names a schema and its body is whole: with `schema`, and `decoded` or `decodingError`. */
  def json(view: EventView): ujson.Obj = {
    val shown = view.toJson
    for {
      body <- bytes(view.body)
      (id, encoded) <- named(view, body)
    } {
      val schema = registry.byId(id)
      shown("schema") = schema.fold(_ => ujson.Obj("id" -> id), facts)
      schema.left.map(_.message).flatMap(decoded(_, encoded)) match {
        case Right(value) => shown("decoded") = value
        case Left(problem) => shown("decodingError") = problem
      }
    }
    shown
  }

  private def decoded(schema: RegisteredSchema, body: Array[Byte]): Either[String, ujson.Value] = schema.format match {
    case SchemaFormat.Avro =>
      parsed.getOrElseUpdate(schema.id, AvroSchema.parse(schema.content)).flatMap(AvroBody.decode(_, body))
    case SchemaFormat.Json => Try(ExactJson.read(body)).toEither.left.map(_ => "It is not JSON.")
    case other => Left(s"Bodies in the format $other are not decoded.")
  }
}

private object SchemaBodies {

  private val Id = "[0-9a-fA-F]{32}"

  /** The serializers for Python, JavaScript, Java and .NET. Those for Kafka write it as a header. */
  private val ContentType = s"(?i)(?:avro/binary|application/json(?:; ?serialization=json)?)\\+($Id)".r

  private val Preamble = 4
  private val IdLength = 32

  /** The id that the event names, and the body without it. */
  def named(view: EventView, body: Array[Byte]): Option[(String, Array[Byte])] = {
    val contentTypes = Seq(view.systemProperties.value.get("contentType"), view.properties.value.get("content-type"))
    contentTypes.flatten.flatMap(_.strOpt).collectFirst { case ContentType(id) => id -> body }
      .orElse(view.properties.value.get("schemaId").flatMap(_.strOpt).filter(_.matches(Id)).map(_ -> body))
      .orElse(preamble(body))
  }

  /** The first serializers wrote four zero bytes and the id before the body. */
  private def preamble(body: Array[Byte]): Option[(String, Array[Byte])] = {
    val id = new String(body.slice(Preamble, Preamble + IdLength), ISO_8859_1)
    Option.when(body.take(Preamble).sameElements(new Array[Byte](Preamble)) && id.matches(Id))(
      id -> body.drop(Preamble + IdLength)
    )
  }

  def bytes(body: EventBody): Option[Array[Byte]] = body match {
    case EventBody.Text(text) => Some(text.getBytes(UTF_8))
    case EventBody.Bytes(base64) => Some(Base64.getDecoder.decode(base64))
    case _ => None
  }

  def facts(schema: RegisteredSchema): ujson.Obj = ujson.Obj(
    "id" -> schema.id,
    "group" -> schema.group,
    "name" -> schema.name,
    "version" -> schema.version,
    "format" -> schema.format.name
  )
}
