package benchmarks.harness

/** A thing to measure, under the name that it has in the results. */
sealed abstract class Operation(val name: String, val writes: Boolean)
object Operation {
  case object Receive extends Operation("receive", writes = false)
  case object BatchRead extends Operation("batch-read", writes = false)
  case object StreamRead extends Operation("stream-read", writes = false)
  case object Send extends Operation("send", writes = true)
  case object BatchWrite extends Operation("batch-write", writes = true)
  case object StreamWrite extends Operation("stream-write", writes = true)

  val all: Seq[Operation] = Seq(Receive, BatchRead, StreamRead, Send, BatchWrite, StreamWrite)
}

/** Who does it, under the name that it has in the results. */
sealed abstract class Candidate(val name: String)
object Candidate {
  case object Sdk extends Candidate("sdk")
  case object EventHubs extends Candidate("spark-eventhubs")
  case object Kafka extends Candidate("spark-kafka")

  val all: Seq[Candidate] = Seq(Sdk, EventHubs, Kafka)
}

/** What a lane of ours is given beside the defaults. */
sealed abstract class Variant(val name: String, val options: Map[String, String])
object Variant {
  case object ExactlyOnce extends Variant("exactly-once", Map("eventhubs.deliveryGuarantee" -> "exactly-once"))
  case object FourTasks extends Variant("maxPartitions=4", Map("eventhubs.maxPartitions" -> "4"))
}

/**
 * One operation of one system. Each lane has a JVM of its own, so that what one has taught the JIT compiler does not
 * help or hurt another, as when a user runs that query and no other.
 *
 * @param face    which of Spark's interfaces a stream of ours goes through, `v1` or `v2`
 * @param variant of ours, None for the defaults
 */
final case class Lane(
    operation: Operation,
    system: Candidate,
    face: Option[String] = None,
    variant: Option[Variant] = None
) {
  def name: String = (Seq(system.name, operation.name) ++ face ++ variant.map(_.name)).mkString(" ")

  /** As an argument of [[benchmarks.worker.Worker]]. */
  def argument: String = (Seq(system.name, operation.name) ++ face ++ variant.map(_.name)).mkString("/")
}

object Lane {
  import Operation._
  import Candidate._

  val SdkReceive: Lane = Lane(Receive, Sdk)
  val SdkSend: Lane = Lane(Send, Sdk)
  val OurBatchRead: Lane = Lane(BatchRead, EventHubs)
  val OurStreamV2: Lane = Lane(StreamRead, EventHubs, Some("v2"))
  val OurBatchReadInFourTasks: Lane = OurBatchRead.copy(variant = Some(Variant.FourTasks))
  val OurStreamV2InFourTasks: Lane = OurStreamV2.copy(variant = Some(Variant.FourTasks))
  val OurStreamV1: Lane = Lane(StreamRead, EventHubs, Some("v1"))
  val KafkaBatchRead: Lane = Lane(BatchRead, Kafka)
  val KafkaStream: Lane = Lane(StreamRead, Kafka)
  val OurBatchWrite: Lane = Lane(BatchWrite, EventHubs)
  val OurStreamWriteV2: Lane = Lane(StreamWrite, EventHubs, Some("v2"))
  val OurStreamWriteV1: Lane = Lane(StreamWrite, EventHubs, Some("v1"))
  val OurExactlyOnce: Lane = Lane(StreamWrite, EventHubs, Some("v1"), Some(Variant.ExactlyOnce))
  val KafkaBatchWrite: Lane = Lane(BatchWrite, Kafka)
  val KafkaStreamWrite: Lane = Lane(StreamWrite, Kafka)

  val reads: Seq[Lane] = Seq(SdkReceive, OurBatchRead, OurStreamV2, OurStreamV1, KafkaBatchRead, KafkaStream)

  /** Beside those of all workloads, for hubs with more partitions than that. */
  val inFourTasks: Seq[Lane] = Seq(OurBatchReadInFourTasks, OurStreamV2InFourTasks)
  val streams: Seq[Lane] = reads.filter(_.operation == StreamRead)
  val writes: Seq[Lane] =
    Seq(SdkSend, OurBatchWrite, OurStreamWriteV2, OurStreamWriteV1, OurExactlyOnce, KafkaBatchWrite, KafkaStreamWrite)

  /** What exactly once costs: V1 both. */
  val guarantees: Seq[Lane] = Seq(OurStreamWriteV1, OurExactlyOnce)

  private val all = reads ++ inFourTasks ++ writes

  def parse(argument: String): Lane =
    all.find(_.argument == argument).getOrElse(
      throw new IllegalArgumentException(
        s"'$argument' is no lane; expected one of ${all.map(_.argument).mkString(", ")}"
      )
    )
}
