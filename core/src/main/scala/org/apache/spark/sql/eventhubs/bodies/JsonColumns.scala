package org.apache.spark.sql.eventhubs.bodies

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.eventhubs.{Json => JsonText}
import org.apache.spark.sql.types._

/**
 * Spark's type for a schema of JSON bodies: DDL, Spark's own JSON form, or a JSON Schema. Every field may be null. What
 * a JSON Schema leaves open, such as a choice of two types, becomes the JSON text of the value.
 */
private[bodies] object JsonColumns {

  private val Expected = "a JSON Schema, or columns as DDL such as 'id INT, name STRING'"
  private val Deepest = 100

  /** The type, or what was expected. */
  def of(text: String): Either[String, DataType] = declared(text).map(_.asNullable)

  private def declared(text: String): Either[String, DataType] =
    if (!text.trim.startsWith("{")) Try(StructType.fromDDL(text)).toOption.toRight(Expected)
    else
      JsonText.read(text).left.map(problem => s"$Expected; $problem").flatMap { root =>
        if (root.path("type").asText == "struct") Try(DataType.fromJson(text)).toOption.toRight(Expected)
        else ofSchema(root)
      }

  private def ofSchema(root: JsonNode): Either[String, DataType] =
    try
      new Columns(root).of(root, Nil) match {
        case struct: StructType if struct.nonEmpty => Right(struct)
        case array: ArrayType => Right(array)
        case _ => Left(s"$Expected; the JSON Schema is not of an object with properties")
      }
    catch { case cycle: Cycle => Left(s"a JSON Schema without cycles; ${cycle.getMessage}") }

  private final class Cycle(reference: String) extends RuntimeException(s"'$reference' refers to itself")

  private final class Columns(root: JsonNode) {

    /** @param within the references that lead here */
    def of(node: JsonNode, within: List[String]): DataType = {
      val reference = node.path("$ref")
      val choices = Seq("oneOf", "anyOf").map(node.path).find(_.isArray)
      if (reference.isTextual) referred(reference.asText, within)
      else if (choices.isDefined) choices.map(_.elements.asScala.filterNot(isNull).toSeq).map {
        case Seq(only) => of(only, within)
        case _ => StringType
      }.getOrElse(StringType)
      else if (node.path("allOf").isArray) merged(node, within)
      else ofType(node, within)
    }

    private def ofType(node: JsonNode, within: List[String]): DataType = types(node) match {
      case Seq("integer") => LongType
      case Seq("number") => DoubleType
      case Seq("boolean") => BooleanType
      case Seq("string") => node.path("format").asText match {
          case "date-time" => TimestampType
          case "date" => DateType
          case _ => StringType
        }
      case Seq("array") if node.path("items").isObject => ArrayType(of(node.path("items"), within))
      case Seq("object") => ofObject(node, within)
      case Nil if node.path("properties").isObject => ofObject(node, within)
      case _ => StringType
    }

    private def ofObject(node: JsonNode, within: List[String]): DataType = {
      val fields = node.path("properties").properties.asScala.toSeq
      val others = node.path("additionalProperties")
      if (fields.nonEmpty)
        StructType(fields.map(field => StructField(field.getKey, of(field.getValue, within))))
      else if (others.isObject) MapType(StringType, of(others, within))
      else StringType
    }

    /** The parts of an object. */
    private def merged(node: JsonNode, within: List[String]): DataType = {
      val parts = node.path("allOf").elements.asScala.map(of(_, within)).toSeq :+ ofType(node, within)
      val structs = parts.collect { case struct: StructType => struct }
      parts match {
        case Seq(only, StringType) => only
        case _ if structs.isEmpty => StringType
        case _ =>
          val fields = structs.flatMap(_.fields)
          StructType(fields.map(_.name).distinct.flatMap(name => fields.find(_.name == name)))
      }
    }

    private def referred(reference: String, within: List[String]): DataType = {
      if (within.contains(reference) || within.size > Deepest) throw new Cycle(reference)
      val target = if (reference.startsWith("#")) root.at(reference.drop(1)) else root.path("")
      if (target.isMissingNode) StringType else of(target, reference :: within)
    }

    private def types(node: JsonNode): Seq[String] = {
      val named = node.path("type")
      val all = if (named.isArray) named.elements.asScala.map(_.asText).toSeq else Seq(named.asText)
      all.filterNot(name => name == "null" || name.isEmpty)
    }

    private def isNull(node: JsonNode): Boolean = node.path("type").asText == "null"
  }
}
