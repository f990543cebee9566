package org.apache.spark.eventhubs.checkpoints

import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Locale

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.eventhubs.Json
import org.apache.spark.eventhubs.blob.{BlobContent, StoredBlob}

/** Parses one blob. A `Left` is what is wrong with it, as it reads after a colon. */
private[spark] object CheckpointParser {

  /** The newest layout: metadata `sequencenumber` and `offset` of an empty blob. */
  def ofMetadata(blob: StoredBlob): Either[String, StoredCheckpoint] =
    checkpoint(blob, blob.metadata.get("sequencenumber"), blob.metadata.get("offset")).flatMap {
      case Some(found) => Right(found)
      case None => Left("it has neither the metadata 'sequencenumber' nor 'offset'")
    }

  /**
   * The layout of the old EventProcessorHost and of Azure Functions: `{"Offset":"128","SequenceNumber":5,...}`. The
   * spelling of the names depends on the language.
   *
   * @return None for a lease without a checkpoint: a host owns the partition, and has processed nothing
   */
  def ofJson(content: BlobContent): Either[String, Option[StoredCheckpoint]] = for {
    text <- decoded(content.body)
    node <- Json.read(text).left.map(_ => "its content is not valid JSON")
    _ <- Either.cond(node.isObject, (), "its content is not a JSON object")
    fields = node.properties.asScala.map(field => plain(field.getKey) -> field.getValue).toMap
    known = Seq("offset", "sequencenumber", "partitionid", "owner", "epoch")
    _ <- Either.cond(known.exists(fields.contains), (), "its JSON has no field of a checkpoint")
    found <- checkpoint(content.blob, value(fields, "sequencenumber"), value(fields, "offset"))
  } yield found.filterNot(isInitial)

  /** EventProcessorHost's lease before its first checkpoint: no offset, and 0 for a number. */
  private def isInitial(found: StoredCheckpoint): Boolean = found.offset.isEmpty && found.seqNo.forall(_ <= 0)

  /** The offset of a checkpoint that EventProcessorHost writes before its first event. Its number is 0 then. */
  private val BeforeFirst = "-1"

  private def checkpoint(
      blob: StoredBlob,
      seqNo: Option[String],
      offset: Option[String]
  ): Either[String, Option[StoredCheckpoint]] = {
    val number = seqNo.map(_.trim).filter(_.nonEmpty)
    val place = offset.map(_.trim).filter(_.nonEmpty)
    def of(seqNo: Option[Long], offset: Option[String]) =
      StoredCheckpoint(blob.name, seqNo, offset, blob.lastModified)
    number.map(text => text.toLongOption.filter(_ >= 0).toRight(text)) match {
      case Some(Right(0L)) if place.contains(BeforeFirst) => Right(Some(of(None, place)))
      case Some(Left(text)) => Left(s"its sequence number is '${text.take(40)}'; expected a whole number from 0")
      case Some(Right(value)) => Right(Some(of(Some(value), place)))
      case None => Right(place.map(text => of(None, Some(text))))
    }
  }

  private def plain(name: String) = name.replace("_", "").toLowerCase(Locale.ROOT)

  private def value(fields: Map[String, JsonNode], name: String): Option[String] =
    fields.get(name).filterNot(_.isNull).map(_.asText)

  private def decoded(body: Array[Byte]): Either[String, String] =
    try Right(UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString.stripPrefix("\uFEFF"))
    catch { case _: CharacterCodingException => Left("its content is not text in UTF-8") }
}
