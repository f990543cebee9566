package org.apache.spark.sql.eventhubs.bodies

import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.eventhubs.options.RegistrySettings
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{ExprUtils, Expression, ExpressionInfo}

/** The SQL functions over bodies with a schema registry. */
private[eventhubs] object BodyFunctions {

  /** A function as a session registers it. */
  type Described = (FunctionIdentifier, ExpressionInfo, Seq[Expression] => Expression)

  private val DecodeUsage = "(body, contentType, properties, options[, partition, sequenceNumber[, eventHub]])"

  private val EncodeUsage = "(value, options)"

  val all: Seq[Described] = Seq(
    decoding(BodyFormat.Avro, "decodes an Avro body, with the schema of Azure Schema Registry that its event names"),
    decoding(BodyFormat.Json, "decodes a JSON body, whose columns may be those of a schema of Azure Schema Registry"),
    encoding(
      BodyFormat.Avro,
      "gives the body and the content type of an event, with a schema of Azure Schema Registry"
    ),
    encoding(BodyFormat.Json, "gives the body and the content type of an event, with a schema of Azure Schema Registry")
  )

  private def encoding(format: BodyFormat, meaning: String): Described =
    described(format.encoder, classOf[ToBody], EncodeUsage, meaning) { arguments =>
      if (arguments.size != 2) throw wrongArguments(format.encoder, EncodeUsage, arguments.size)
      val settings = RegistrySettings.parse(ExprUtils.convertToMapData(arguments(1)))
      ToBody(arguments.head, BodyOptions(settings), format)
    }

  private def decoding(format: BodyFormat, meaning: String): Described =
    described(format.function, classOf[FromBody], DecodeUsage, meaning)(decode(format))

  private def described(name: String, of: Class[_], usage: String, meaning: String)(
      build: Seq[Expression] => Expression
  ): Described = {
    val text = s"_FUNC_$usage - $meaning"
    val info = new ExpressionInfo(of.getName, None.orNull, name, text, "", "", "", "misc_funcs", "", "", "built-in")
    (FunctionIdentifier(name), info, build)
  }

  /** The options are the fourth argument. */
  private def decode(format: BodyFormat)(arguments: Seq[Expression]): Expression = {
    if (!Set(4, 6, 7)(arguments.size)) throw wrongArguments(format.function, DecodeUsage, arguments.size)
    FromBody(format, arguments.patch(3, Nil, 1), ExprUtils.convertToMapData(arguments(3)))
  }

  private def wrongArguments(name: String, usage: String, found: Int) =
    EventHubsErrors.invalidOption(name, s"called with $found arguments", s"$name$usage")
}
