package localhub.browse

import java.io.StringWriter

import scala.collection.mutable.ArrayBuffer

import upickle.core.{LinkedHashMap, Visitor}

/** A number with its text, which says whether it has a fraction, and has all digits. */
private[browse] final class ExactNumber(val text: String) extends ujson.Num(text.toDouble) {

  def isWhole: Boolean = !text.exists(".eE".contains(_))
}

/** JSON whose numbers keep their text. ujson makes a double of each, so 1.0 becomes 1, and long numbers lose digits. */
private[localhub] object ExactJson extends ujson.AstTransformer[ujson.Value] {

  def read(text: Array[Byte]): ujson.Value = ujson.transform(text, this)

  /** @param indent of the lines; without one, all is in one line */
  def write(value: ujson.Value, indent: Int = -1): String =
    transform(value, new ujson.Renderer(new StringWriter, indent)).toString

  override def transform[T](value: ujson.Value, to: Visitor[_, T]): T = value match {
    case number: ExactNumber =>
      val text = number.text
      to.visitFloat64StringParts(text, text.indexOf('.'), text.indexWhere("eE".contains(_)), -1)
    case list: ujson.Arr => transformArray(to, list.value)
    case fields: ujson.Obj => transformObject(to, fields.value)
    case other => ujson.Value.transform(other, to)
  }

  override def visitArray(length: Int, index: Int): AstArrVisitor[ArrayBuffer] =
    new AstArrVisitor[ArrayBuffer](values => ujson.Arr(values))

  override def visitJsonableObject(length: Int, index: Int): AstObjVisitor[LinkedHashMap[String, ujson.Value]] =
    new AstObjVisitor[LinkedHashMap[String, ujson.Value]](fields => ujson.Obj(fields))

  override def visitNull(index: Int): ujson.Value = ujson.Null

  override def visitFalse(index: Int): ujson.Value = ujson.False

  override def visitTrue(index: Int): ujson.Value = ujson.True

  override def visitString(text: CharSequence, index: Int): ujson.Value = ujson.Str(text.toString)

  override def visitFloat64StringParts(text: CharSequence, decIndex: Int, expIndex: Int, index: Int): ujson.Value =
    new ExactNumber(text.toString)
}
