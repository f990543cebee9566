package localhub.schemas

import scala.collection.mutable

/** A type of an Avro schema. */
private[localhub] sealed trait AvroType

private[localhub] object AvroType {
  final case class Primitive(name: String) extends AvroType
  final case class Field(name: String, kind: AvroType)
  final case class Record(fields: Seq[Field]) extends AvroType
  final case class Enumeration(symbols: Seq[String]) extends AvroType
  final case class Fixed(size: Int) extends AvroType
  final case class Items(kind: AvroType) extends AvroType
  final case class Values(kind: AvroType) extends AvroType
  final case class Union(branches: Seq[AvroType]) extends AvroType

  /** A type that is defined elsewhere in the schema, perhaps around this one. */
  final case class Named(fullName: String) extends AvroType

  val Primitives: Set[String] = Set("null", "boolean", "int", "long", "float", "double", "bytes", "string")
}

/**
 * A parsed Avro schema.
 *
 * @param named its records, enumerations and fixed types by their full names
 */
private[localhub] final case class AvroSchema(root: AvroType, named: Map[String, AvroType])

private[localhub] object AvroSchema {

  /** @return the schema, or what is wrong with it */
  def parse(text: String): Either[String, AvroSchema] =
    JsonText.parse(text).flatMap { json =>
      val parser = new Parser
      try {
        val root = parser.kind(json, "", "")
        Right(AvroSchema(root, parser.named.toMap))
      } catch { case wrong: Wrong => Left(wrong.getMessage) }
    }

  private final class Wrong(problem: String) extends RuntimeException(problem)

  private final class Parser {
    val named = mutable.HashMap.empty[String, AvroType]

    /**
     * @param namespace of the type around it
     * @param place     in the schema, for messages
     */
    def kind(json: ujson.Value, namespace: String, place: String): AvroType = json match {
      case ujson.Str(name) if AvroType.Primitives(name) => AvroType.Primitive(name)
      case ujson.Str(name) => reference(name, namespace, place)
      case ujson.Arr(branches) =>
        val all = branches.toSeq.map(kind(_, namespace, place))
        if (all.exists(_.isInstanceOf[AvroType.Union])) wrong("a union is directly in a union", place)
        if (all.map(branchName).distinct.size < all.size) wrong("a union has two branches of one type", place)
        AvroType.Union(all)
      case definition: ujson.Obj => defined(definition, namespace, place)
      case other => wrong(s"$other is no type", place)
    }

    private def defined(json: ujson.Obj, namespace: String, place: String): AvroType =
      need(json, "type", place) match {
        case ujson.Str("record" | "error") =>
          val (fullName, inner) = name(json, namespace, place)
          // Before its fields, which can refer to it.
          named(fullName) = AvroType.Named(fullName)
          val fields = list(json, "fields", place).zipWithIndex.map { case (field, index) =>
            val at = s"${dot(place)}fields[$index]"
            val definition = field.objOpt.map(ujson.Obj(_)).getOrElse(wrong("a field is no object", at))
            AvroType.Field(text(definition, "name", at), kind(need(definition, "type", at), inner, at))
          }
          if (fields.map(_.name).distinct.size < fields.size) wrong("two fields have one name", place)
          define(fullName, AvroType.Record(fields))
        case ujson.Str("enum") =>
          val (fullName, _) = name(json, namespace, place)
          val symbols = list(json, "symbols", place).map(_.strOpt.getOrElse(wrong("a symbol is no text", place)))
          if (symbols.distinct.size < symbols.size) wrong("two symbols are equal", place)
          define(fullName, AvroType.Enumeration(symbols))
        case ujson.Str("fixed") =>
          val (fullName, _) = name(json, namespace, place)
          val size = need(json, "size", place).numOpt.filter(number => number.isValidInt && number >= 0)
          define(fullName, AvroType.Fixed(size.getOrElse(wrong("the size is no whole number", place)).toInt))
        case ujson.Str("array") => AvroType.Items(kind(need(json, "items", place), namespace, s"${dot(place)}items"))
        case ujson.Str("map") => AvroType.Values(kind(need(json, "values", place), namespace, s"${dot(place)}values"))
        case other => kind(other, namespace, place)
      }

    private def define(fullName: String, kind: AvroType): AvroType = {
      named(fullName) = kind
      AvroType.Named(fullName)
    }

    private def name(json: ujson.Obj, namespace: String, place: String): (String, String) = {
      val name = text(json, "name", place)
      val inner =
        if (name.contains('.')) name.take(name.lastIndexOf('.'))
        else json.value.get("namespace").flatMap(_.strOpt).getOrElse(namespace)
      val fullName = s"${dot(inner)}${name.drop(name.lastIndexOf('.') + 1)}"
      if (!fullName.split("\\.", -1).forall(_.matches("[A-Za-z_][A-Za-z0-9_]*")))
        wrong(s"'$fullName' is no name", place)
      if (named.contains(fullName)) wrong(s"'$fullName' is defined twice", place)
      (fullName, inner)
    }

    private def reference(name: String, namespace: String, place: String): AvroType =
      Seq(if (name.contains('.')) name else s"${dot(namespace)}$name", name).find(named.contains)
        .map(AvroType.Named(_)).getOrElse(wrong(s"'$name' is no type that the schema defines", place))

    private def branchName(branch: AvroType): String = branch match {
      case AvroType.Primitive(name) => name
      case AvroType.Named(name) => s".$name"
      case _: AvroType.Items => "array"
      case _: AvroType.Values => "map"
      case other => other.toString
    }

    private def need(json: ujson.Obj, field: String, place: String): ujson.Value =
      json.value.getOrElse(field, wrong(s"'$field' was not found", place))

    private def text(json: ujson.Obj, field: String, place: String): String =
      need(json, field, place).strOpt.getOrElse(wrong(s"'$field' is no text", place))

    private def list(json: ujson.Obj, field: String, place: String): Seq[ujson.Value] =
      need(json, field, place).arrOpt.getOrElse(wrong(s"'$field' is no list", place)).toSeq

    private def dot(prefix: String): String = if (prefix.isEmpty) "" else s"$prefix."

    private def wrong(problem: String, place: String): Nothing =
      throw new Wrong(if (place.isEmpty) s"$problem." else s"$problem at '$place'.")
  }
}
