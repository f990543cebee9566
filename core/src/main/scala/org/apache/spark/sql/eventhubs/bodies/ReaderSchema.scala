package org.apache.spark.sql.eventhubs.bodies

import scala.util.control.NonFatal

import org.apache.spark.eventhubs.options.{RegistryOptions, RegistrySettings}
import org.apache.spark.eventhubs.registry.{
  RegisteredSchema,
  RegistryClient,
  RegistryErrors,
  SchemaName,
  SchemaRegistry
}
import org.apache.spark.eventhubs.{EventHubsErrors, EventHubsException}
import org.apache.spark.sql.types.DataType

/**
 * The schema that gives the columns of decoded bodies.
 *
 * @param text in the language of the format
 */
private[eventhubs] final case class ReaderSchema(format: BodyFormat, text: String, dataType: DataType)

/** Chooses the reader's schema, on the driver, when a query is analyzed. It stays for the query. */
private[eventhubs] object ReaderSchema {

  /** @throws EventHubsException EVENTHUBS_SCHEMA_REGISTRY, EVENTHUBS_MISSING_OPTION, EVENTHUBS_INVALID_OPTION */
  def of(format: BodyFormat, settings: RegistrySettings): ReaderSchema = settings.readerSchema match {
    case Some(text) =>
      val key = RegistryOptions.ReaderSchema.key
      if (settings.schema.isDefined || settings.version.isDefined)
        throw EventHubsErrors.conflictingOptions(
          s"'$key' and '${RegistryOptions.Schema.key}' are set, which both give the columns",
          "Set only one of them."
        )
      format.check(text).foreach { expected =>
        throw EventHubsErrors.invalidOption(key, text.take(LongestShown), expected)
      }
      typed(format, s"of '$key'", text)
    case None =>
      val name = nameOf(settings)
      val found = inRegistry(new RegistryClient(settings.connection), name, settings.version)
        .getOrElse(throw RegistryErrors.noSchema(settings.connection.hub, name, settings.version))
      if (found.format != format.schemas)
        throw RegistryErrors.unsupportedSchema(s"'$name'", s"it is a schema of the format ${found.format.name}")
      typed(format, s"'$name'", found.text)
  }

  private val LongestShown = 100

  private def inRegistry(registry: SchemaRegistry, name: SchemaName, version: Option[Int]): Option[RegisteredSchema] =
    version.fold(registry.newest(name))(registry.version(name, _))

  private def nameOf(settings: RegistrySettings): SchemaName = {
    def needed(option: String, value: Option[String]) = value.getOrElse(
      throw EventHubsErrors.missingOption(
        option,
        s"Set '${RegistryOptions.Group.key}' and '${RegistryOptions.Schema.key}', whose newest version gives the " +
          s"columns, or set '${RegistryOptions.ReaderSchema.key}'."
      )
    )
    SchemaName(needed(RegistryOptions.Group.key, settings.group), needed(RegistryOptions.Schema.key, settings.schema))
  }

  private def typed(format: BodyFormat, from: String, text: String): ReaderSchema =
    try ReaderSchema(format, text, format.dataType(text))
    catch {
      case known: EventHubsException => throw known
      case NonFatal(failed) => throw RegistryErrors.unsupportedSchema(from, BodyDecoder.problem(failed))
    }
}
