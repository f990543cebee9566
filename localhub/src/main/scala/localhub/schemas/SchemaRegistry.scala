package localhub.schemas

import java.time.Clock
import java.util.{Locale, UUID}

import scala.collection.mutable

/**
 * The schema groups of a namespace, and their schemas. Thread-safe.
 *
 * @param storage keeps groups and schemas over restarts
 */
final class SchemaRegistry private[localhub] (
    clock: Clock,
    storage: SchemaStorage,
    limits: SchemaLimits = SchemaLimits()
) {
  import SchemaRegistry._

  private val groupsByKey = mutable.HashMap.empty[String, Group]
  private val byIdentity = mutable.HashMap.empty[String, RegisteredSchema]
  private var bytes = 0L

  storage.groups.foreach(group => groupsByKey(key(group.name)) = new Group(group))
  storage.schemas.sortBy(_.version).foreach(schema => groupsByKey.get(key(schema.group)).foreach(keep(_, schema)))

  /** By name. */
  def groups: Seq[SchemaGroupConfig] = synchronized(groupsByKey.values.map(_.config).toSeq.sortBy(_.name))

  /**
   * Creates the group; false, and no change, when it exists in this format.
   *
   * @throws localhub.InvalidHubException when it exists in another format, or there are too many
   */
  def ensureGroup(wanted: SchemaGroupConfig): Boolean = synchronized {
    groupsByKey.get(key(wanted.name)) match {
      case Some(group) if group.config.format == wanted.format => false
      case Some(group) =>
        throw new localhub.InvalidHubException(
          s"The schema group '${group.config.name}' has the format ${group.config.format}, which cannot be changed."
        )
      case None if groupsByKey.size >= limits.groups =>
        throw new localhub.InvalidHubException(s"A namespace has at most ${limits.groups} schema groups.")
      case None =>
        storage.save((groupsByKey.values.map(_.config).toSeq :+ wanted).sortBy(_.name))
        groupsByKey(key(wanted.name)) = new Group(wanted)
        true
    }
  }

  /** The newest version of each schema of a group, by name; None if there is no such group. */
  def schemas(group: String): Option[Seq[RegisteredSchema]] = synchronized {
    groupsByKey.get(key(group)).map(_.schemas.values.map(_.versions.last).toSeq.sortBy(_.name))
  }

  /** All versions of a schema, the first one first. */
  def versions(group: String, name: String): Either[SchemaRefusal, Seq[RegisteredSchema]] = synchronized {
    schema(group, name).map(_.versions.toSeq)
  }

  def byVersion(group: String, name: String, version: Int): Either[SchemaRefusal, RegisteredSchema] = synchronized {
    schema(group, name).flatMap { found =>
      found.versions.find(_.version == version).toRight(SchemaRefusal.NoVersion(group, name, version))
    }
  }

  /** @param id 32 hexadecimal digits, or a GUID with hyphens */
  def byId(id: String): Either[SchemaRefusal, RegisteredSchema] = synchronized {
    byIdentity.get(id.replace("-", "").toLowerCase(Locale.ROOT)).toRight(SchemaRefusal.NoId(id))
  }

  /** The version of a schema that has this content. */
  def byContent(
      group: String,
      name: String,
      format: SchemaFormat,
      content: String
  ): Either[SchemaRefusal, RegisteredSchema] = synchronized {
    for {
      found <- schema(group, name)
      text <- normalized(format, content)
      version <- found.byContent.get(text).filter(_.format == format).toRight(SchemaRefusal.NoSchema(group, name))
    } yield version
  }

  /** Adds a version of a schema, or finds the one that has this content. */
  def register(
      group: String,
      name: String,
      format: SchemaFormat,
      content: String
  ): Either[SchemaRefusal, RegisteredSchema] = synchronized {
    for {
      found <- groupsByKey.get(key(group)).toRight(SchemaRefusal.NoGroup(group))
      _ <- Either.cond(isName(name), (), SchemaRefusal.InvalidName(name))
      _ <- Either.cond(found.config.format == format, (), SchemaRefusal.OtherFormat(format, found.config))
      text <- normalized(format, content)
      versions = found.schemas.get(key(name))
      schema <- versions.flatMap(_.byContent.get(text)).map(Right(_))
        .getOrElse(add(found, name, versions.fold(0)(_.versions.last.version), text))
    } yield schema
  }

  private def add(group: Group, name: String, earlier: Int, text: String): Either[SchemaRefusal, RegisteredSchema] = {
    val config = group.config
    def full(limit: String) = Left(SchemaRefusal.Full(config.name, name, limit))
    if (byIdentity.size >= limits.schemas)
      full(s"no more than ${limits.schemas} schemas is allowed. Currently there are ${byIdentity.size} schemas")
    else if (bytes + text.length > limits.bytes) full(s"all schemas together have at most ${limits.bytes} characters")
    else {
      val id = UUID.randomUUID.toString.replace("-", "")
      val schema = RegisteredSchema(id, config.name, name, earlier + 1, config.format, text, clock.instant())
      storage.save(schema)
      keep(group, schema)
      Right(schema)
    }
  }

  private def keep(group: Group, schema: RegisteredSchema): Unit = {
    val versions = group.schemas.getOrElseUpdate(key(schema.name), new Versions)
    versions.versions += schema
    versions.byContent(schema.content) = schema
    byIdentity(schema.id) = schema
    bytes += schema.content.length
  }

  private def schema(group: String, name: String): Either[SchemaRefusal, Versions] =
    Either.cond(isName(name), (), SchemaRefusal.InvalidName(name)).flatMap { _ =>
      groupsByKey.get(key(group)).flatMap(_.schemas.get(key(name))).toRight(SchemaRefusal.NoSchema(group, name))
    }
}

object SchemaRegistry {

  def inMemory(clock: Clock): SchemaRegistry = new SchemaRegistry(clock, SchemaStorage.InMemory)

  /** The longest name of a schema. The SDKs' own tests use names that are longer than the 50 of the specification. */
  private[schemas] val MaxName = 100

  private final class Group(val config: SchemaGroupConfig) {
    val schemas = mutable.HashMap.empty[String, Versions]
  }

  private final class Versions {
    val versions = mutable.ArrayBuffer.empty[RegisteredSchema]
    val byContent = mutable.HashMap.empty[String, RegisteredSchema]
  }

  private def key(name: String): String = name.toLowerCase(Locale.ROOT)

  private def isName(name: String): Boolean =
    name.length <= MaxName && name.matches("[A-Za-z0-9][^\\\\/$:\\p{Cntrl}]*") && name.forall(_ < 128)

  private def normalized(format: SchemaFormat, content: String): Either[SchemaRefusal, String] = (format match {
    case SchemaFormat.Avro => unquoted(content).flatMap(text => AvroSchema.parse(text).map(_ => withoutSpace(text)))
    case SchemaFormat.Json => unquoted(content).flatMap(text => JsonText.parse(text).map(_ => text))
    case SchemaFormat.Custom | SchemaFormat.Protobuf => Right(content)
  }).left.map(SchemaRefusal.InvalidSchema)

  /** The SDK for JavaScript (1.3.0) writes the schema that it looks for as a JSON string. */
  private def unquoted(content: String): Either[String, String] =
    if (content.startsWith("\"{"))
      JsonText.parse(content).map(_.strOpt.getOrElse(content))
    else Right(content)

  /** The service gives Avro schemas so. White space in texts stays. */
  private def withoutSpace(json: String): String = {
    val out = new java.lang.StringBuilder(json.length)
    var inText = false
    var escaped = false
    json.foreach { character =>
      if (inText || !character.isWhitespace) out.append(character)
      if (!escaped && character == '"') inText = !inText
      escaped = inText && !escaped && character == '\\'
    }
    out.toString
  }
}

/**
 * Bounds of a registry, which is in memory.
 *
 * @param schemas versions of all schemas
 * @param bytes   of the content of all versions
 */
private[localhub] final case class SchemaLimits(groups: Int = 1000, schemas: Int = 10000, bytes: Long = 25L << 20)
