package org.apache.spark.sql.eventhubs.bodies

import java.util.{HashMap => JavaHashMap}

import org.apache.spark.eventhubs.registry.NamedSchema
import org.apache.spark.sql.catalyst.util.MapData
import org.apache.spark.unsafe.types.UTF8String

/**
 * Finds the schemas that the rows of a task name. A text is parsed once: a few texts name the schemas of millions of
 * events. Not thread-safe.
 */
private[bodies] final class EventSchemas {
  import EventSchemas._

  private val contentTypes = new Texts(NamedSchema.ofContentType)
  private val headers = new Texts(NamedSchema.ofHeader)

  /** Where the value begins in the body of the last call. */
  var bodyStart = 0

  /**
   * The schema that the first place names, or why there is none. A text that names none may be the application's own.
   *
   * @param contentType null if there is none
   * @param properties  null if there are none
   */
  def of(body: Array[Byte], contentType: UTF8String, properties: MapData): Either[String, NamedSchema] = {
    bodyStart = 0
    val found = if (contentType eq null) None else contentTypes.of(contentType)
    if (isSchema(found)) found.get
    else {
      val header = inProperties(properties)
      if (isSchema(header)) header.get
      else
        inBody(body).orElse(found).orElse(header).getOrElse(Left(missing(body, contentType, properties)))
    }
  }

  private def isSchema(found: NamedSchema.Found): Boolean = found.isDefined && found.get.isRight

  private def inProperties(properties: MapData): NamedSchema.Found =
    if ((properties eq null) || properties.numElements() == 0) None
    else {
      val type_ = value(properties, ContentTypeKey)
      val found = if (type_ eq null) None else contentTypes.of(type_)
      if (isSchema(found)) found
      else {
        val id = value(properties, IdKey)
        val named = if (id eq null) None else headers.of(id)
        if (isSchema(named)) named else found.orElse(named)
      }
    }

  private def inBody(body: Array[Byte]): NamedSchema.Found = {
    val found = NamedSchema.ofBody(body)
    if (found.isDefined) bodyStart = NamedSchema.PreambleLength
    found
  }

  private def missing(body: Array[Byte], contentType: UTF8String, properties: MapData): String = {
    val header = if (properties eq null) None else Option(value(properties, ContentTypeKey))
    NamedSchema.missing(Option(contentType).orElse(header).map(_.toString), body)
  }
}

private object EventSchemas {

  private val ContentTypeKey = UTF8String.fromString(NamedSchema.ContentType)
  private val IdKey = UTF8String.fromString(NamedSchema.JsonIdHeader)

  /** Null if the map has no such key. */
  private def value(map: MapData, key: UTF8String): UTF8String = {
    val keys = map.keyArray()
    var i = 0
    while (i < keys.numElements() && keys.getUTF8String(i) != key) i += 1
    if (i < keys.numElements() && !map.valueArray().isNullAt(i)) map.valueArray().getUTF8String(i)
    else Option.empty[UTF8String].orNull
  }

  /** Remembers what texts say. */
  private final class Texts(parse: String => NamedSchema.Found) {

    private val known = new JavaHashMap[UTF8String, NamedSchema.Found]
    private var last = UTF8String.EMPTY_UTF8
    private var said: NamedSchema.Found = parse("")

    def of(text: UTF8String): NamedSchema.Found = {
      if (text != last) {
        val found = known.get(text)
        // The memory of a row's text is used again.
        last = text.clone()
        said = if (found eq null) parsed(last) else found
      }
      said
    }

    private def parsed(text: UTF8String): NamedSchema.Found = {
      val found = parse(text.toString)
      if (known.size >= MostTexts) known.clear()
      known.put(text, found)
      found
    }
  }

  /** A sender may write another text into each event. */
  private val MostTexts = 1000
}
