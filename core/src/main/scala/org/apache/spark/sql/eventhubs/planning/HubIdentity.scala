package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.Json

import java.nio.charset.StandardCharsets.UTF_8
import java.time.Instant

import scala.util.Try

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}


/**
 * Which hub a checkpoint belongs to. Sequence numbers alone cannot tell a hub from another one of the same name that
 * was made after it was deleted.
 *
 * @param createdAt      of the hub whose sequence numbers the checkpoint's offsets are
 * @param restartedAfter the offset (as JSON) that was the last of an older hub: the batch that starts at it reads the
 *                       present hub from its beginning instead, also when it is replayed
 */
final case class HubIdentity(hub: EventHubName, createdAt: Instant, restartedAfter: Option[String])

/** The identity as the file `hub.json` of the source's metadata path. A legacy checkpoint has none: it is adopted. */
private[eventhubs] final class HubIdentityFile(metadataPath: String, hadoopConf: Configuration) {

  import HubIdentityFile._

  private val path = new Path(metadataPath, "hub.json")
  private val draft = new Path(metadataPath, ".hub.json.tmp")
  private val fs: FileSystem = path.getFileSystem(hadoopConf)

  /** None where nothing was written yet. */
  def read(): Option[HubIdentity] =
    if (fs.exists(path)) Some(parse(textOf(path)))
    // The writer was stopped between its last two steps; a draft that is not whole was its first and had no file beside it.
    else if (fs.exists(draft)) Try(parse(textOf(draft))).toOption
    else None

  def write(identity: HubIdentity): Unit = {
    val node = Json.mapper.createObjectNode()
    node.put("version", Version).put("namespace", identity.hub.namespace).put("hub", identity.hub.name)
    node.put("createdAt", identity.createdAt.toString)
    identity.restartedAfter.foreach(node.put("restartedAfter", _))
    // A rename is atomic, so a reader never sees half a file.
    val out = fs.create(draft, true)
    try out.write(node.toString.getBytes(UTF_8))
    finally out.close()
    fs.delete(path, false)
    fs.rename(draft, path)
    ()
  }

  private def textOf(file: Path): String = {
    val in = fs.open(file)
    try new String(in.readAllBytes(), UTF_8)
    finally in.close()
  }

  private def parse(text: String): HubIdentity = {
    val node = Json.read(text).fold(problem => throw malformed(text, problem), identity)
    def field(name: String): String =
      Option(node.get(name)).getOrElse(throw malformed(text, s"'$name' is missing")).asText
    val version = field("version").toIntOption.getOrElse(throw malformed(text, "'version' is not a number"))
    if (version > Version) throw EventHubsErrors.unsupportedLogVersion(path.toString, version, Version)
    val created = field("createdAt")
    val createdAt = Try(Instant.parse(created)).getOrElse(throw malformed(text, "'createdAt' is not a time"))
    HubIdentity(
      EventHubName(field("namespace"), field("hub")),
      createdAt,
      Option(node.get("restartedAfter")).map(_.asText)
    )
  }

  private def malformed(text: String, problem: String): EventHubsException =
    EventHubsErrors.malformedIdentity(path.toString, text, problem)
}

private object HubIdentityFile {
  private val Version = 1
}
