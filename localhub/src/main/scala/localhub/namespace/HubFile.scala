package localhub.namespace

import java.io.IOException
import java.nio.file.{Files, Path}
import java.time.{Duration, Instant}

import scala.util.control.NonFatal

import localhub.log.{AtomicFile, UnreadableLogException}
import localhub.{Compaction, HubConfig, LocalHubException, Retention}

/** Reads and writes `hub.json`, a hub's description in a data directory. Writes are atomic. */
private[namespace] object HubFile {
  val Name = "hub.json"
  private val Format = 1

  def write(file: Path, hub: StoredHub): Unit = AtomicFile.write(file, ujson.write(toJson(hub), indent = 2) + "\n")

  def read(file: Path): StoredHub =
    try fromJson(ujson.read(Files.readString(file)))
    catch {
      case NonFatal(failure) =>
        val reason = failure match {
          case failed: IOException => UnreadableLogException.reason(failed)
          case malformed => s"it is no description of an event hub ($malformed)"
        }
        throw new LocalHubException(
          s"$file cannot be read: $reason. Restore it from a copy, or remove its folder to give up that event hub.",
          failure
        )
    }

  private def toJson(hub: StoredHub): ujson.Obj = {
    val config = hub.config
    val json = ujson.Obj(
      "format" -> Format,
      "name" -> config.name,
      "createdAt" -> hub.createdAt.toString,
      "partitions" -> config.partitions,
      "consumerGroups" -> config.consumerGroups.toSeq.sorted
    )
    config.retention.time.foreach(limit => json("retentionTime") = limit.toString)
    // As text, because many JSON readers take a number for a double.
    config.retention.bytesPerPartition.foreach(limit => json("retentionBytes") = limit.toString)
    config.throughputUnits.foreach(units => json("throughputUnits") = units)
    config.compaction.foreach { compaction =>
      json("cleanupPolicy") = "compact"
      json("tombstoneRetention") = compaction.tombstoneRetention.toString
      json("minCompactionLag") = compaction.minLag.toString
    }
    json
  }

  private def fromJson(json: ujson.Value): StoredHub = {
    val format = json("format").num.toInt
    if (format != Format)
      throw new IllegalArgumentException(s"its format is $format; this local hub reads format $Format")
    val config = HubConfig(
      json("name").str,
      json("partitions").num.toInt,
      json("consumerGroups").arr.map(_.str).toSet,
      Retention(
        json.obj.get("retentionTime").map(limit => Duration.parse(limit.str)),
        json.obj.get("retentionBytes").map(_.str.toLong)
      ),
      json.obj.get("throughputUnits").map(_.num.toInt),
      compaction = json.obj.get("cleanupPolicy").filter(_.str == "compact").map(_ =>
        Compaction(Duration.parse(json("tombstoneRetention").str), Duration.parse(json("minCompactionLag").str))
      )
    )
    StoredHub(config, Instant.parse(json("createdAt").str))
  }
}
