package localhub.node

import java.nio.file.{Files, Path}
import java.time.Instant

import scala.util.control.NonFatal

import localhub.log.AtomicFile
import localhub.{HubConfig, LocalHubException}

/** A hub's description in its folder of a data directory: JSON, written whole or not at all. */
private[node] object HubFile {
  val Name = "hub.json"
  private val Format = 1

  def write(file: Path, hub: StoredHub): Unit = AtomicFile.write(file, ujson.write(toJson(hub), indent = 2) + "\n")

  def read(file: Path): StoredHub =
    try fromJson(ujson.read(Files.readString(file)))
    catch {
      case NonFatal(failure) =>
        throw new LocalHubException(
          s"$file cannot be understood: $failure. Bring it back from a copy, or remove its folder to give up that event hub.",
          failure
        )
    }

  private def toJson(hub: StoredHub): ujson.Obj = ujson.Obj(
    "format" -> Format,
    "name" -> hub.config.name,
    "createdAt" -> hub.createdAt.toString,
    "partitions" -> hub.config.partitions,
    "consumerGroups" -> hub.config.consumerGroups.toSeq.sorted
  )

  private def fromJson(json: ujson.Value): StoredHub = {
    val format = json("format").num.toInt
    if (format != Format) throw new IllegalArgumentException(s"its format is $format, and this local hub reads $Format")
    val config = HubConfig(json("name").str, json("partitions").num.toInt, json("consumerGroups").arr.map(_.str).toSet)
    StoredHub(config, Instant.parse(json("createdAt").str))
  }
}
