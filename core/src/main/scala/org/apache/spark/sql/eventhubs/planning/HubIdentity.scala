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
 * @param restartedAfter the last offset (as JSON) of an older generation or epoch. The batch that starts at it, and
 *                       every replay of that batch, starts elsewhere: at `restartsAt`
 * @param restartsAt     where that batch starts in each partition; empty for the beginning of a recreated hub
 * @param epochs         of a geo-replicated hub's partitions: the last one that the checkpoint knows. The events that
 *                       have been read are of this epoch or of an earlier one
 * @param startsAtEarliest partitions whose first offset is the resolved start `earliest`
 * @param startsAt       first offset of a hub that the query began to read after its first start; empty for the
 *                       others, whose first offset is in the query's [[InitialOffsetLog]]
 * @param joinedAt       first sequence number of the partitions that the query began to read after its first offset
 * @param withheldAt     an offset (as JSON) that has later positions than were read, in the partitions of `withheld`
 * @param withheld       the real positions there: the batch that ends at the offset could not read these partitions
 * @param namesPartitions whether the query's option names the partitions that it reads
 */
private[eventhubs] final case class HubIdentity(
    hub: EventHubName,
    generation: HubGeneration.CreatedAt,
    restartedAfter: Option[String],
    restartsAt: Map[Int, Long] = Map.empty,
    epochs: Map[Int, Int] = Map.empty,
    startsAtEarliest: Set[Int] = Set.empty,
    startsAt: Map[Int, Long] = Map.empty,
    joinedAt: Map[Int, Long] = Map.empty,
    namesPartitions: Boolean = false,
    withheldAt: Option[String] = None,
    withheld: Map[Int, Long] = Map.empty
)

/**
 * The file `hub.json` in the source's metadata path, or that of one of several hubs. A legacy checkpoint has none and
 * gets one. Empty fields are left out.
 */
private[eventhubs] final class HubIdentityFile(path: Path, hadoopConf: Configuration) {

  import HubIdentityFile._

  def this(metadataPath: String, hadoopConf: Configuration) =
    this(new Path(metadataPath, HubIdentityFile.Name), hadoopConf)

  private val file = new CheckpointFile(path, CheckpointFile.fileSystem(path, hadoopConf))

  /** None when nothing was written yet. */
  def read(): Option[HubIdentity] = file.readReplaced() match {
    case Complete(text, node) => Some(parse(text, node))
    case CutOff(text) => throw malformed(text, "it is not valid JSON, its end is missing")
    case Malformed(text, problem) => throw malformed(text, problem)
    case Missing => None
  }

  def write(identity: HubIdentity): Unit = {
    val node = HubFields.put(HubFields.newNode(Version), identity.hub, identity.generation)
    identity.restartedAfter.foreach(node.put("restartedAfter", _))
    PartitionNumbers.put(node, "restartsAt", identity.restartsAt)
    PartitionNumbers.put(node, "epochs", identity.epochs.map { case (id, epoch) => id -> epoch.toLong })
    PartitionNumbers.put(node, "startsAtEarliest", identity.startsAtEarliest)
    PartitionNumbers.put(node, "startsAt", identity.startsAt)
    PartitionNumbers.put(node, "joinedAt", identity.joinedAt)
    identity.withheldAt.foreach(node.put("withheldAt", _))
    PartitionNumbers.put(node, "withheld", identity.withheld)
    if (identity.namesPartitions) node.put("namesPartitions", true)
    file.replace(node)
  }

  private def parse(text: String, node: ObjectNode): HubIdentity = {
    def valid[A](field: Either[String, A]): A = field.fold(problem => throw malformed(text, problem), identity)
    val version = valid(HubFields.version(node))
    if (version > Version) throw EventHubsErrors.unsupportedLogVersion(file.path.toString, version, Version)
    val (hub, generation) = valid(HubFields.hub(node))
    HubIdentity(
      hub,
      generation,
      Option(node.get("restartedAfter")).map(_.asText),
      valid(PartitionNumbers.map(node, "restartsAt")),
      valid(PartitionNumbers.map(node, "epochs")).map { case (id, epoch) => id -> epoch.toInt },
      valid(PartitionNumbers.set(node, "startsAtEarliest")),
      valid(PartitionNumbers.map(node, "startsAt")),
      valid(PartitionNumbers.map(node, "joinedAt")),
      node.path("namesPartitions").asBoolean,
      Option(node.get("withheldAt")).map(_.asText),
      valid(PartitionNumbers.map(node, "withheld"))
    )
  }

  private def malformed(text: String, problem: String): EventHubsException =
    EventHubsErrors.malformedIdentity(file.path.toString, text, problem)
}

private[eventhubs] object HubIdentityFile {

  val Name = "hub.json"

  private val Version = 1
}
