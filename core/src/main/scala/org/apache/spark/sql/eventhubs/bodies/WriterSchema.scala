package org.apache.spark.sql.eventhubs.bodies

import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.{ConnectionSettings, RegistryOptions, RegistrySettings}
import org.apache.spark.eventhubs.registry.{RegistryClient, SchemaId, SchemaName}
import org.apache.spark.sql.types.DataType

/**
 * The schema with which bodies are written.
 *
 * @param text in the language of the format
 */
private[bodies] final case class WriterSchema(format: BodyFormat, name: SchemaName, text: String) {

  /** The id of the schema, which is registered unless the registry has it. */
  def registeredId(connection: ConnectionSettings): SchemaId =
    ExecutorResources.get.schemas.idOf(connection, name, text) {
      val registry = new RegistryClient(connection)
      registry.find(name, format.schemas, text).getOrElse(registry.register(name, format.schemas, text))
    }
}

private[bodies] object WriterSchema {

  /** @param dataType of the values */
  def of(format: BodyFormat, settings: RegistrySettings, dataType: DataType): WriterSchema = {
    def missing(option: String, how: String) = EventHubsErrors.missingOption(option, how)
    val group = settings.group.getOrElse(throw missing(RegistryOptions.Group.key, "Set the schema group."))
    val text = settings.readerSchema.getOrElse {
      val name = settings.schema.getOrElse(
        throw missing(RegistryOptions.Schema.key, s"Set it, or '${RegistryOptions.ReaderSchema.key}'.")
      )
      format.schemaOf(dataType, name).getOrElse(
        throw missing(RegistryOptions.ReaderSchema.key, "Set the JSON Schema of the bodies.")
      )
    }
    format.checkWritten(text).foreach { expected =>
      throw EventHubsErrors.invalidOption(RegistryOptions.ReaderSchema.key, text.take(100), expected)
    }
    val name = settings.schema.orElse(format.nameIn(text)).getOrElse(
      throw missing(RegistryOptions.Schema.key, "Set the name of the schema.")
    )
    WriterSchema(format, SchemaName(group, name), text)
  }
}
