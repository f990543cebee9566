package org.apache.spark.eventhubs

import scala.util.{Failure, Try}

import com.fasterxml.jackson.core.io.JsonEOFException
import com.fasterxml.jackson.core.{JsonParser, JsonProcessingException}
import com.fasterxml.jackson.databind.{DeserializationFeature, JsonNode, ObjectMapper}

/** The shared JSON mapper. It is thread-safe, because nothing configures it after it is created. */
private[spark] object Json {
  val mapper = new ObjectMapper

  private val strictReader = mapper
    .readerFor(classOf[JsonNode])
    .`with`(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
    .`with`(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)

  /** Reads a user's text strictly: nothing may follow the value, and no key may occur twice. */
  def read(text: String): Either[String, JsonNode] =
    Try(strictReader.readValue[JsonNode](text)).toOption
      .filterNot(_.isMissingNode)
      .toRight("it is not valid JSON (in Python, write it with json.dumps)")

  /** Whether the text is the beginning of valid JSON, and only its end is missing. */
  def isCutOff(text: String): Boolean = text.isEmpty || (Try(strictReader.readValue[JsonNode](text)) match {
    case Failure(_: JsonEOFException) => true
    // Between two entries of an object Jackson reports the end with another class.
    case Failure(other: JsonProcessingException) => other.getOriginalMessage.contains("end-of-input")
    case _ => false
  })
}
