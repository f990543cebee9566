package org.apache.spark.eventhubs.registry

/** The schema registry of a namespace. */
private[spark] trait SchemaRegistry {

  /** The schema of an id; None when the registry has none. */
  def schema(id: SchemaId): Option[RegisteredSchema]

  /** The names of all groups. */
  def groups(): Seq[String]

  /** The version numbers of a schema; empty when the registry does not know its name. */
  def versions(name: SchemaName): Seq[Int]

  /** A version of a schema; None when the registry has none. */
  def version(name: SchemaName, version: Int): Option[RegisteredSchema]

  /** The id of a text that is registered under this name; None when it is not. */
  def find(name: SchemaName, format: SchemaFormat, text: String): Option[SchemaId]

  /** Registers a text as the newest version, unless it is registered already. */
  def register(name: SchemaName, format: SchemaFormat, text: String): SchemaId

  /** The newest version; None when the registry does not know the name. */
  final def newest(name: SchemaName): Option[RegisteredSchema] =
    versions(name).sorted.lastOption.flatMap(version(name, _))
}

/** @param group of the registry, which has the schema's format and its rule of compatibility */
private[spark] final case class SchemaName(group: String, name: String) {
  override def toString: String = s"$group/$name"
}
