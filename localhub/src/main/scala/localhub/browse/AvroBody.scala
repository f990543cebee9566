package localhub.browse

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.{BufferUnderflowException, ByteBuffer, ByteOrder}

import localhub.schemas.{AvroSchema, AvroType}

/** A body in Avro's binary encoding as JSON for display. Logical types are shown as what they are stored as. */
private[browse] object AvroBody {

  /** More is not for display, and a few bytes can claim any number of nulls. */
  private val MaxValues = 100000
  private val MaxDepth = 200

  /** @return the value, or why the body is none of this schema */
  def decode(schema: AvroSchema, body: Array[Byte]): Either[String, ujson.Value] = {
    val in = ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN)
    try {
      val value = new AvroBody(schema, in).read(schema.root, 0)
      Either.cond(!in.hasRemaining, value, s"${in.remaining} bytes follow after the value.")
    } catch {
      case _: BufferUnderflowException => Left("It ends before its value does.")
      case wrong: Wrong => Left(wrong.getMessage)
    }
  }

  private final class Wrong(problem: String) extends RuntimeException(problem)

  private def wrong(problem: String): Nothing = throw new Wrong(problem)
}

private final class AvroBody(schema: AvroSchema, in: ByteBuffer) {
  import AvroBody._

  private var values = 0

  private def read(kind: AvroType, depth: Int): ujson.Value = {
    values += 1
    if (values > MaxValues) wrong(s"It has more than $MaxValues values.")
    if (depth > MaxDepth) wrong(s"It is nested more than $MaxDepth levels deep.")
    kind match {
      case AvroType.Primitive(name) => primitive(name)
      case AvroType.Named(name) => read(schema.named(name), depth + 1)
      case AvroType.Record(fields) =>
        ujson.Obj.from(fields.map(field => field.name -> read(field.kind, depth + 1)))
      case AvroType.Enumeration(symbols) => ujson.Str(chosen(symbols, "symbol"))
      case AvroType.Fixed(size) => binary(bytes(size.toLong))
      case AvroType.Items(items) => ujson.Arr.from(blocks(read(items, depth + 1)))
      case AvroType.Values(kinds) => ujson.Obj.from(blocks(text() -> read(kinds, depth + 1)))
      case AvroType.Union(branches) => read(chosen(branches, "branch"), depth + 1)
    }
  }

  private def primitive(name: String): ujson.Value = name match {
    case "null" => ujson.Null
    case "boolean" => ujson.Bool(in.get() != 0)
    case "int" | "long" => AmqpJson.whole(long())
    case "float" => AmqpJson.decimal(in.getFloat().toDouble)
    case "double" => AmqpJson.decimal(in.getDouble())
    case "bytes" => binary(bytes(long()))
    case _ => ujson.Str(text())
  }

  /** Items come in blocks. The count of a block is negative when its size in bytes follows. */
  private def blocks[A](item: => A): Seq[A] = {
    val found = Seq.newBuilder[A]
    var count = long()
    while (count != 0) {
      if (count < 0) {
        count = -count
        long()
      }
      // The smallest number is its own negative.
      if (count < 0 || count > MaxValues) wrong(s"It has more than $MaxValues values.")
      (0L until count).foreach(_ => found += item)
      count = long()
    }
    found.result()
  }

  private def chosen[A](from: Seq[A], what: String): A = {
    val index = long()
    Option.when(index.isValidInt)(
      index.toInt
    ).flatMap(from.lift).getOrElse(wrong(s"It has $what $index of ${from.size}."))
  }

  private def long(): Long = {
    var value = 0L
    var shift = 0
    var next = in.get()
    while (next < 0 && shift < 63) {
      value |= (next & 0x7fL) << shift
      shift += 7
      next = in.get()
    }
    if (next < 0) wrong("A number has more than 64 bits.")
    value |= (next & 0x7fL) << shift
    (value >>> 1) ^ -(value & 1)
  }

  private def bytes(length: Long): Array[Byte] = {
    if (length < 0 || length > in.remaining) throw new BufferUnderflowException
    val content = new Array[Byte](length.toInt)
    in.get(content)
    content
  }

  private def text(): String = new String(bytes(long()), UTF_8)

  private def binary(content: Array[Byte]): ujson.Value = ujson.Obj("base64" -> AmqpJson.base64(content))
}
