package org.apache.spark.eventhubs.options

/** Options of the functions that decode and encode bodies with a schema registry, besides those of the connection. */
private[spark] object RegistryOptions {
  import OptionType._

  val Group: EventHubsOption[String] = option(
    "eventhubs.registry.group",
    Text,
    "Schema group. Needed with `registry.schema`, and to encode bodies."
  )

  val Schema: EventHubsOption[String] = option(
    "eventhubs.registry.schema",
    Text,
    "Name of a schema of the group; the SDKs use the full name of an Avro record. Without `registry.readerSchema` its " +
      "newest version, when the query starts, gives the columns."
  )

  val Version: EventHubsOption[Int] = option(
    "eventhubs.registry.version",
    IntRange(1),
    "Version of `registry.schema` that gives the columns.",
    whenUnset = "the newest one when the query starts"
  )

  val ReaderSchema: EventHubsOption[String] = option(
    "eventhubs.registry.readerSchema",
    Text,
    "Schema that gives the columns, instead of one of the registry. To encode bodies: the schema that is registered " +
      "under the name `registry.schema`, if the registry does not have it."
  )

  val Mode: EventHubsOption[DecodeMode] = option(
    "eventhubs.registry.mode",
    Choice("FAILFAST" -> DecodeMode.FailFast, "PERMISSIVE" -> DecodeMode.Permissive),
    "`FAILFAST` fails the query at an event that cannot be decoded. `PERMISSIVE` gives it null columns, and the reason " +
      "in the column `_decode_error`.",
    default = Some(DecodeMode.FailFast)
  )

  val all: Seq[EventHubsOption[_]] = Seq(Group, Schema, Version, ReaderSchema, Mode)

  private def option[A](
      key: String,
      valueType: OptionType[A],
      doc: String,
      default: Option[A] = None,
      whenUnset: String = ""
  ): EventHubsOption[A] = EventHubsOption(key, valueType, default, doc, OptionScope.Registry, whenUnset)
}

/** What an event that cannot be decoded becomes. */
private[spark] sealed trait DecodeMode

private[spark] object DecodeMode {
  case object FailFast extends DecodeMode
  case object Permissive extends DecodeMode
}
