package localhub.schemas

import java.nio.file.{Files, Path}
import java.time.Instant

import scala.jdk.CollectionConverters._
import scala.util.Using
import scala.util.control.NonFatal

import localhub.LocalHubException
import localhub.log.AtomicFile

/** Storage for a registry. Called under its lock. */
private[localhub] trait SchemaStorage {

  /** What an earlier process stored. */
  def groups: Seq[SchemaGroupConfig]
  def schemas: Seq[RegisteredSchema]

  /** Records all groups. */
  def save(groups: Seq[SchemaGroupConfig]): Unit

  /** Records a new schema. */
  def save(schema: RegisteredSchema): Unit
}

private[localhub] object SchemaStorage {

  object InMemory extends SchemaStorage {
    override def groups: Seq[SchemaGroupConfig] = Nil
    override def schemas: Seq[RegisteredSchema] = Nil
    override def save(groups: Seq[SchemaGroupConfig]): Unit = ()
    override def save(schema: RegisteredSchema): Unit = ()
  }

  /** @param dataDir whose lock this process has */
  def open(dataDir: Option[Path]): SchemaStorage =
    dataDir.fold[SchemaStorage](InMemory)(directory => new SchemaFolder(directory.resolve("schemas")))
}

/** A folder with `groups.json`, and a file for each schema, whose name is its id. */
private[schemas] final class SchemaFolder(folder: Path) extends SchemaStorage {
  import SchemaFolder._

  private val groupsFile = folder.resolve("groups.json")

  override def groups: Seq[SchemaGroupConfig] =
    if (!Files.exists(groupsFile)) Nil
    else read(groupsFile)(_.arr.map(group => SchemaGroupConfig(group("name").str, format(group("format")))).toSeq)

  override def schemas: Seq[RegisteredSchema] =
    if (!Files.isDirectory(folder)) Nil
    else
      Using.resource(Files.list(folder))(_.iterator.asScala.toSeq)
        .filter(_.getFileName.toString.matches("[0-9a-f]{32}\\.json")).map(read(_) { json =>
          RegisteredSchema(
            json("id").str,
            json("group").str,
            json("name").str,
            json("version").num.toInt,
            format(json("format")),
            json("content").str,
            Instant.parse(json("createdAt").str)
          )
        })

  override def save(groups: Seq[SchemaGroupConfig]): Unit = write(
    groupsFile,
    ujson.Arr.from(groups.map(group => ujson.Obj("name" -> group.name, "format" -> group.format.name)))
  )

  override def save(schema: RegisteredSchema): Unit = write(
    folder.resolve(s"${schema.id}.json"),
    ujson.Obj(
      "id" -> schema.id,
      "group" -> schema.group,
      "name" -> schema.name,
      "version" -> schema.version,
      "format" -> schema.format.name,
      "content" -> schema.content,
      "createdAt" -> schema.createdAt.toString
    )
  )

  private def write(file: Path, json: ujson.Value): Unit = {
    Files.createDirectories(folder)
    AtomicFile.write(file, ujson.write(json, indent = 2) + "\n")
  }
}

private object SchemaFolder {

  private def format(json: ujson.Value): SchemaFormat =
    SchemaFormat.named(json.str).getOrElse(throw new IllegalArgumentException(s"unknown format ${json.str}"))

  private def read[A](file: Path)(parse: ujson.Value => A): A =
    try parse(ujson.read(Files.readString(file)))
    catch {
      case NonFatal(failure) =>
        throw new LocalHubException(
          s"$file cannot be read: $failure. Restore it from a copy, or remove it to give up what it describes.",
          failure
        )
    }
}
