package org.apache.spark.sql.eventhubs

import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.sql.{Column, DataFrame}

/**
 * Functions over the columns of a read: what Kafka clients, IoT devices and compressing senders put into events. All
 * but the decompression are expressions of Spark's own functions.
 */
object functions {

  /**
   * The key of an event that a Kafka client sent: text where its bytes are UTF-8, and Base64 text otherwise. Null for
   * other events. Needs the column `systemProperties`.
   */
  def kafkaKey: Column = expr(s"coalesce(${text(bytes(KafkaKey))}, $KafkaKey)").as("key")

  /** The bytes of the key of an event that a Kafka client sent; null for other events. */
  def kafkaKeyBytes: Column = expr(bytes(KafkaKey)).as("key")

  /**
   * The headers of an event that a Kafka client sent, and the application properties of other events. A value that was
   * sent as bytes is text where they are UTF-8, and Base64 text otherwise. A text property that looks like an array of
   * signed bytes, such as `[104,105]`, cannot be told from bytes. Needs the column `properties`.
   */
  def kafkaHeaders: Column =
    expr(s"transform_values(properties, (k, v) -> coalesce(${text(bytes("v"))}, v))").as("headers")

  /** Returns [[kafkaHeaders]] with all values as bytes. A text becomes UTF-8. */
  def kafkaHeadersBytes: Column =
    expr(s"transform_values(properties, (k, v) -> coalesce(${bytes("v")}, encode(v, 'UTF-8')))").as("headers")

  /**
   * What an IoT Hub adds to the messages of devices, as a struct. Fields are null in other events. `deviceId`,
   * `moduleId`, `generationId`, `messageSource`, `messageSchema`, `dataSchema`, `subject`, `authMethod` (JSON),
   * `messageId`, `correlationId`, `contentType`, `contentEncoding`, `authScope`, `authType` and `authIssuer` are
   * strings, `enqueuedTime` and `creationTime` timestamps. Needs the columns `systemProperties` and `properties`.
   */
  def iotHub: Column = {
    val texts = IotTexts.map { case (field, name) => s"systemProperties['$name'] AS $field" }
    val auth = Seq("authScope" -> "scope", "authType" -> "type", "authIssuer" -> "issuer").map { case (field, name) =>
      s"get_json_object(systemProperties['iothub-connection-auth-method'], '$$.$name') AS $field"
    }
    val times = Seq("enqueuedTime" -> "iothub-enqueuedtime", "creationTime" -> "iothub-creation-time-utc")
      .map { case (field, name) => s"${time(name)} AS $field" }
    expr((texts ++ auth ++ times).mkString("struct(", ", ", ")")).as("iotHub")
  }

  /**
   * The body without its compression: gzip, deflate and zstd, as the event's content encoding says (`content-encoding`
   * in `systemProperties`, else in `properties`). Other bodies stay as they are.
   *
   * @param maxBytes    a body that becomes larger counts as broken
   * @param failOnError whether a broken body fails the query; otherwise it becomes null
   */
  def decompressedBody(maxBytes: Int = DefaultMaxBytes, failOnError: Boolean = false): Column =
    decompressed(col("body"), contentEncoding, maxBytes, failOnError).as("body")

  /**
   * Decompresses another column than `body`, as [[decompressedBody]] does.
   *
   * @param body  binary
   * @param codec `gzip`, `deflate` or `zstd`, in any case
   */
  def decompressed(
      body: Column,
      codec: Column,
      maxBytes: Int = DefaultMaxBytes,
      failOnError: Boolean = false
  ): Column = {
    require(
      maxBytes > 0 && maxBytes <= BodyDecompressor.LargestBytes,
      s"maxBytes is $maxBytes; expected a number of bytes from 1 to ${BodyDecompressor.LargestBytes}"
    )
    val name = lower(trim(codec))
    val decompress = udf(new BodyDecompressor(maxBytes, failOnError))
    when(name.isin(BodyDecompressor.Codecs: _*), decompress(body, name)).otherwise(body)
  }

  /**
   * The frame with its body, JSON text in UTF-8, as a struct. The other columns stay. The struct's fields are null for
   * text that does not parse.
   *
   * @param schema      such as `StructType.fromDDL("id INT, name STRING")`
   * @param body        name of the column
   * @param keepCorrupt whether the struct has one more field, `_corrupt_record` (string): the text that does not parse,
   *                    else null
   */
  def fromJsonBody(
      frame: DataFrame,
      schema: StructType,
      body: String = "body",
      keepCorrupt: Boolean = false
  ): DataFrame = {
    val text = col(body).cast(StringType)
    val parsed =
      if (keepCorrupt)
        from_json(text, schema.add(CorruptRecord, StringType), Map("columnNameOfCorruptRecord" -> CorruptRecord))
      else from_json(text, schema)
    frame.withColumn(body, parsed)
  }

  private val DefaultMaxBytes = 16 << 20

  private val CorruptRecord = "_corrupt_record"

  private val KafkaKey = "systemProperties['x-opt-kafka-key']"

  private val IotTexts = Seq(
    "deviceId" -> "iothub-connection-device-id",
    "moduleId" -> "iothub-connection-module-id",
    "generationId" -> "iothub-connection-auth-generation-id",
    "messageSource" -> "iothub-message-source",
    "messageSchema" -> "iothub-message-schema",
    "dataSchema" -> "dt-dataschema",
    "subject" -> "dt-subject",
    "authMethod" -> "iothub-connection-auth-method",
    "messageId" -> "message-id",
    "correlationId" -> "correlation-id",
    "contentType" -> "content-type",
    "contentEncoding" -> "content-encoding"
  )

  private def contentEncoding: Column =
    expr("coalesce(systemProperties['content-encoding'], properties['content-encoding'])")

  /** Binary values are in the maps as JSON arrays of signed bytes. Null for other texts. */
  private def bytes(of: String): String = {
    val isBinary = s"left($of, 1) = '[' AND right($of, 1) = ']' AND translate($of, '[]-0123456789,', '') = ''"
    s"transform(array(if($isBinary, from_json($of, 'array<int>'), null)), a -> " +
      "if(forall(a, b -> b BETWEEN -128 AND 127), " +
      "unhex(array_join(transform(a, b -> lpad(hex(b & 255), 2, '0')), '')), null))[0]"
  }

  /** An invalid byte becomes another character, so it does not come back. */
  private def text(of: String): String =
    s"transform(array($of), d -> if(encode(cast(d AS STRING), 'UTF-8') = d, cast(d AS STRING), base64(d)))[0]"

  /** The first and the last milliseconds of the years 1 to 9999. For larger numbers `timestamp_millis` fails. */
  private val Millis = "-62135596800000 AND 253402300799999"

  /**
   * An AMQP time is quoted ISO text, a text of the device is not quoted; a number counts milliseconds. A device may
   * write any number, so one that is no time is null. A time or a date without a zone is in UTC, not in that of the
   * session.
   */
  private def time(name: String): String = {
    val text = s"""trim(BOTH '"' FROM coalesce(systemProperties['$name'], properties['$name']))"""
    val number = s"array(try_cast($text AS BIGINT))"
    val millis = s"transform($number, n -> if(n BETWEEN $Millis, timestamp_millis(n), null))[0]"
    // A text that has a zone is no time with another one after it: the last cast reads it. 'T00:00:00Z' alone is today.
    val texts = Seq(s"$text || 'Z'", s"$text || ':00Z'", s"nullif($text, '') || 'T00:00:00Z'", text)
    s"coalesce($millis, ${texts.map(each => s"try_cast($each AS TIMESTAMP_LTZ)").mkString(", ")})"
  }
}
