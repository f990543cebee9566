package localhub.cli

import localhub.InvalidHubException
import localhub.schemas.{SchemaFormat, SchemaGroupConfig}

private[localhub] object SchemaGroupArgument {

  /** `telemetry` or `telemetry:json`. */
  def parse(text: String): SchemaGroupConfig = text.split(":", -1) match {
    case Array(name) => group(text, name, SchemaFormat.Avro)
    case Array(name, format) => group(text, name, SchemaFormat.named(format).getOrElse(throw mistake(text)))
    case _ => throw mistake(text)
  }

  private def group(text: String, name: String, format: SchemaFormat): SchemaGroupConfig =
    try SchemaGroupConfig(name, format)
    catch {
      case invalid: InvalidHubException => throw new UsageException(s"--schema-group $text: ${invalid.getMessage}")
    }

  private def mistake(text: String) = {
    val formats = SchemaFormat.all.map(_.name.toLowerCase).mkString(", ")
    new UsageException(s"--schema-group $text: expected NAME or NAME:FORMAT, with one of $formats.")
  }
}
