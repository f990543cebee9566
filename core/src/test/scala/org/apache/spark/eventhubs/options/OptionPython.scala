package org.apache.spark.eventhubs.options

/** The option table as a module of the Python package, already in the format of `ruff format`. */
object OptionPython {

  private val Width = 120
  private val Indent = "        "

  def module: String =
    s"""\"\"\"The options of the connector.
       |
       |Generated from ConnectionOptions, ReadOptions and WriteOptions; run ${OptionPage.Command}
       |\"\"\"
       |
       |from __future__ import annotations
       |
       |from typing import Final
       |
       |from spark_eventhubs._option_spec import OptionSpec
       |
       |OPTIONS: Final[tuple[OptionSpec, ...]] = (
       |${EventHubsOptions.all.map(spec).mkString("\n")}
       |)
       |
       |# Options of the legacy connector. The connector logs a warning, or rejects them and names the replacement.
       |LEGACY_KEYS: Final[tuple[str, ...]] = (
       |${LegacyOptions.all.map { case (key, _) => s"    ${literal(key)}," }.mkString("\n")}
       |)
       |
       |# Options of Spark's Kafka source, and what to do instead.
       |KAFKA_OPTIONS: Final[dict[str, str]] = {
       |${KafkaOptions.all.map { case (name, instead) => kafka(name, instead) }.mkString("\n")}
       |}
       |""".stripMargin

  /** On two lines where one is too long, as `ruff format` breaks it. */
  private def kafka(name: String, instead: String): String = {
    val line = s"    ${literal(name)}: ${literal(instead)},"
    if (line.length <= Width) line else s"    ${literal(name)}: (\n$Indent${literal(instead)}\n    ),"
  }

  private def spec(option: EventHubsOption[_]): String = {
    val valueType = option.valueType
    val aliases = option.aliases.map(literal) match {
      case Nil => None
      case Seq(one) => Some(s"($one,)")
      case several => Some(several.mkString("(", ", ", ")"))
    }
    val fields = Seq(
      Some(s"key=${literal(option.key)}"),
      aliases.map(names => s"aliases=$names"),
      Some(s"type=${literal(valueType.name)}"),
      option.defaultText.map(text => s"default=${literal(text)}"),
      valueType.minimum.map(least => s"minimum=$least"),
      valueType.maximum.map(most => s"maximum=$most"),
      Some(s"doc=${wrapped(docText(option))}"),
      Option.when(option.secret)("secret=True"),
      Some(s"scope=${literal(option.scope.name)}")
    )
    fields.flatten.map(field => s"$Indent$field,").mkString("    OptionSpec(\n", "\n", "\n    ),")
  }

  private def docText(option: EventHubsOption[_]): String =
    option.doc + (if (option.whenUnset.isEmpty) "" else s" Default: ${option.whenUnset}.")

  /** With the quotes that need fewer escapes. */
  private def literal(text: String): String = {
    val quote = if (text.count(_ == '"') > text.count(_ == '\'')) '\'' else '"'
    val escaped = text.replace("\\", "\\\\").replace(quote.toString, s"\\$quote")
    s"$quote$escaped$quote"
  }

  private def wrapped(text: String): String =
    if (s"${Indent}doc=${literal(text)},".length <= Width) literal(text)
    else lines(text).map(line => s"$Indent    ${literal(line)}").mkString("(\n", "\n", s"\n$Indent)")

  /** Each line except the last ends with a space. */
  private def lines(text: String): Seq[String] = {
    val room = Width - Indent.length - 4 - 2 - text.count(character => character == '"' || character == '\\')
    text.split("(?<= )").foldLeft(Vector.empty[String]) {
      case (done :+ line, word) if line.length + word.length <= room => done :+ (line + word)
      case (done, word) => done :+ word
    }
  }
}
