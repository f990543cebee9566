package org.apache.spark.sql.eventhubs.bodies

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.options.RegistrySettings
import org.apache.spark.eventhubs.registry.EventPlace
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.Block.BlockHelper
import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, ImplicitCastInputTypes}
import org.apache.spark.sql.catalyst.util.MapData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * The value of a body: the SQL functions `from_eventhubs_avro`, which decodes it with the schema that its event names,
 * and `from_eventhubs_json`.
 *
 * @param children body, content type and properties, then, for errors and if the row has them: partition, sequence
 *                 number and event hub
 * @param reader   gives the type; fixed when the query is analyzed
 */
private[eventhubs] final case class FromBody(
    override val children: Seq[Expression],
    settings: RegistrySettings,
    reader: ReaderSchema
) extends Expression
    with ImplicitCastInputTypes {

  import FromBody._

  override def inputTypes: Seq[AbstractDataType] = InputTypes.take(children.size)

  override def nullable: Boolean = true

  @transient private lazy val result: DecodedValue = DecodedValue(settings.mode, reader.dataType)

  override def dataType: DataType = result.dataType

  override def prettyName: String = reader.format.function

  /** Without the options, which may be long. */
  override def toString: String = children.mkString(s"$prettyName(", ", ", ")")

  /** It keeps a decoder for each schema. */
  override def stateful: Boolean = true

  @transient private lazy val decoder = reader.format.decoder(settings, reader)

  override def eval(input: InternalRow): Any = {
    val body = children(0).eval(input).asInstanceOf[Array[Byte]]
    if (body eq null) body
    else {
      def placed(index: Int): Any = if (index < children.size) children(index).eval(input) else None.orNull
      decode(
        body,
        children(1).eval(input).asInstanceOf[UTF8String],
        children(2).eval(input).asInstanceOf[MapData],
        placed(3).asInstanceOf[UTF8String],
        placed(4) match {
          case number: Long => number
          case _ => NoNumber
        },
        placed(5).asInstanceOf[UTF8String]
      )
    }
  }

  /** For generated code. A null object, or [[NoNumber]], is a value that the row does not have. */
  def decode(
      body: Array[Byte],
      contentType: UTF8String,
      properties: MapData,
      partition: UTF8String,
      seqNo: Long,
      hub: UTF8String
  ): Any =
    try result.of(decoder.decode(body, contentType, properties, () => place(partition, seqNo, hub)))
    catch { case failed: EventHubsException if result.keeps(failed) => result.failed(failed) }

  private def place(partition: UTF8String, seqNo: Long, hub: UTF8String): EventPlace = EventPlace(
    Option(hub).map(_.toString).orElse(settings.hub),
    Option(partition).map(_.toString),
    Some(seqNo).filter(_ != NoNumber)
  )

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val self = ctx.addReferenceObj("decoded", this)
    val codes = children.map(_.genCode(ctx))
    val arguments = codes.zip(children).tail.map { case (code, child) =>
      val none = if (child.dataType == LongType) s"${NoNumber}L" else "null"
      s"(${code.isNull} ? $none : ${code.value})"
    } ++ Defaults.drop(children.size - 1)
    val javaType = CodeGenerator.javaType(dataType)
    val boxed = CodeGenerator.boxedType(dataType)
    val value = ctx.freshName("value")
    ev.copy(code = code"""
      ${codes.map(_.code).reduce(_ + _)}
      boolean ${ev.isNull} = true;
      $javaType ${ev.value} = ${CodeGenerator.defaultValue(dataType)};
      if (!${codes.head.isNull}) {
        Object $value = $self.decode(${codes.head.value}, ${arguments.mkString(", ")});
        if ($value != null) {
          ${ev.isNull} = false;
          ${ev.value} = ($boxed) $value;
        }
      }""")
  }

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): FromBody =
    copy(children = newChildren)
}

private[eventhubs] object FromBody {

  private val InputTypes =
    Seq(BinaryType, StringType, MapType(StringType, StringType), StringType, LongType, StringType)

  private val NoNumber = Long.MinValue

  /** The arguments of `decode` after the body, for columns that the call does not have. */
  private val Defaults = Seq("null", "null", "null", s"${NoNumber}L", "null")

  /** @throws EventHubsException for wrong options, and for a schema that the registry does not give */
  def apply(format: BodyFormat, columns: Seq[Expression], options: Map[String, String]): FromBody = {
    val settings = RegistrySettings.parse(options)
    FromBody(columns, settings, ReaderSchema.of(format, settings))
  }
}
