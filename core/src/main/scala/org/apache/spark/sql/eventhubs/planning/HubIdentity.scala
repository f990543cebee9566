package org.apache.spark.sql.eventhubs.planning

import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.{EventHubName, EventHubsErrors, EventHubsException}
import org.apache.spark.sql.eventhubs.planning.CheckpointFile._

/**
 * Which hub a checkpoint belongs to.
 *
 * @param generation     the generation that the checkpoint's sequence numbers refer to
 * @param restartedAfter the last offset (as JSON) of an older generation. The batch that starts at it, and every replay
 *                       of that batch, reads the recreated hub from its beginning
 */
private[eventhubs] final case class HubIdentity(
    hub: EventHubName,
    generation: HubGeneration.CreatedAt,
    restartedAfter: Option[String]
)

/** The file `hub.json` in the source's metadata path. A legacy checkpoint has none and gets one. */
private[eventhubs] final class HubIdentityFile(metadataPath: String, hadoopConf: Configuration) {

  import HubIdentityFile._

  private val file = {
    val path = new Path(metadataPath, "hub.json")
    new CheckpointFile(path, CheckpointFile.fileSystem(path, hadoopConf))
  }

  /** None when nothing was written yet. */
  def read(): Option[HubIdentity] = file.readReplaced() match {
    case Complete(text, node) => Some(parse(text, node))
    case CutOff(text) => throw malformed(text, "it is not valid JSON, its end is missing")
    case Malformed(text, problem) => throw malformed(text, problem)
    case Missing => None
  }

  def write(identity: HubIdentity): Unit = {
    val node = HubFields.newNode(Version, identity.hub, identity.generation)
    identity.restartedAfter.foreach(node.put("restartedAfter", _))
    file.replace(node)
  }

  private def parse(text: String, node: ObjectNode): HubIdentity = {
    def valid[A](field: Either[String, A]): A = field.fold(problem => throw malformed(text, problem), identity)
    val version = valid(HubFields.version(node))
    if (version > Version) throw EventHubsErrors.unsupportedLogVersion(file.path.toString, version, Version)
    val (hub, generation) = valid(HubFields.hub(node))
    HubIdentity(hub, generation, Option(node.get("restartedAfter")).map(_.asText))
  }

  private def malformed(text: String, problem: String): EventHubsException =
    EventHubsErrors.malformedIdentity(file.path.toString, text, problem)
}

private object HubIdentityFile {
  private val Version = 1
}
