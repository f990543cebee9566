package org.apache.spark.sql.eventhubs.bodies

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types._

/**
 * A body and the content type with the id of its schema: the SQL functions `to_eventhubs_avro` and
 * `to_eventhubs_json`. [[RegisterSchemas]] replaces it when the type of the value is known.
 */
private[eventhubs] final case class ToBody(child: Expression, options: BodyOptions, format: BodyFormat)
    extends UnaryExpression {

  override lazy val resolved: Boolean = false

  override def dataType: DataType = ToBody.Result

  override def prettyName: String = format.encoder

  override def toString: String = s"$prettyName($child)"

  // Spark's own trait for this has other methods in Spark 4.0.
  override def eval(input: InternalRow): Any = throw notReplaced

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = throw notReplaced

  private def notReplaced = new IllegalStateException(s"$prettyName has no id of a schema")

  /** Registers the schema, or finds its id. */
  def registered: Expression = {
    val schema = WriterSchema.of(format, options.settings, child.dataType)
    // A version of a schema stays for good, so it must be one that the value can be written with.
    format.requireWritable(child.dataType, schema.text)
    val id = schema.registeredId(options.settings.connection)
    val body = format.encoded(child, schema.text)
    val contentType = If(IsNull(child), Literal(null, StringType), Literal(format.contentType(id)))
    CreateNamedStruct(Seq(Literal("body"), body, Literal("contentType"), contentType))
  }

  override protected def withNewChildInternal(newChild: Expression): ToBody = copy(child = newChild)
}

private[eventhubs] object ToBody {
  val Result: StructType = new StructType().add("body", BinaryType).add("contentType", StringType)
}

/** Asks the registry for the ids of schemas that a query writes: on the driver, and for each query once. */
private[eventhubs] object RegisterSchemas extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveExpressions {
    case written: ToBody if written.childrenResolved => written.registered
  }
}
