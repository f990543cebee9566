package benchmarks.harness

/** A measured operation, with its name in the results. */
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

/** A measured client library, with its name in the results. */
sealed abstract class Client(val name: String)
object Client {
  case object Sdk extends Client("sdk")
  case object EventHubs extends Client("spark-eventhubs")
  case object Kafka extends Client("spark-kafka")

  val all: Seq[Client] = Seq(Sdk, EventHubs, Kafka)
}

/** Options of our connector that differ from the defaults. */
sealed abstract class Variant(val name: String, val options: Map[String, String])
object Variant {
  case object ExactlyOnce extends Variant("exactly-once", Map("eventhubs.deliveryGuarantee" -> "exactly-once"))
  case object Idempotent
      extends Variant("idempotent", ExactlyOnce.options + ("eventhubs.idempotentProducer" -> "true"))
  case object FourTasks extends Variant("maxPartitions=4", Map("eventhubs.maxPartitions" -> "4"))
}

/**
 * One operation of one client. Each contender has a JVM of its own, because code that the JIT compiler has optimized
 * for one query helps or slows down another. A user's JVM often runs one query only.
 *
 * @param apiVersion version of Spark's source or sink API that one of our streams uses, `v1` or `v2`
 * @param variant    options of our connector, None for the defaults
 */
final case class Contender(
    operation: Operation,
    client: Client,
    apiVersion: Option[String] = None,
    variant: Option[Variant] = None
) {
  def name: String = (Seq(client.name, operation.name) ++ apiVersion ++ variant.map(_.name)).mkString(" ")

  /** The argument of [[benchmarks.worker.Worker]]. */
  def argument: String = (Seq(client.name, operation.name) ++ apiVersion ++ variant.map(_.name)).mkString("/")
}

object Contender {
  import Operation._
  import Client._

  val SdkReceive: Contender = Contender(Receive, Sdk)
  val SdkSend: Contender = Contender(Send, Sdk)
  val OurBatchRead: Contender = Contender(BatchRead, EventHubs)
  val OurStreamV2: Contender = Contender(StreamRead, EventHubs, Some("v2"))
  val OurBatchReadInFourTasks: Contender = OurBatchRead.copy(variant = Some(Variant.FourTasks))
  val OurStreamV2InFourTasks: Contender = OurStreamV2.copy(variant = Some(Variant.FourTasks))
  val OurStreamV1: Contender = Contender(StreamRead, EventHubs, Some("v1"))
  val KafkaBatchRead: Contender = Contender(BatchRead, Kafka)
  val KafkaStream: Contender = Contender(StreamRead, Kafka)
  val OurBatchWrite: Contender = Contender(BatchWrite, EventHubs)
  val OurStreamWriteV2: Contender = Contender(StreamWrite, EventHubs, Some("v2"))
  val OurStreamWriteV1: Contender = Contender(StreamWrite, EventHubs, Some("v1"))
  val OurExactlyOnce: Contender = Contender(StreamWrite, EventHubs, Some("v1"), Some(Variant.ExactlyOnce))
  val OurIdempotent: Contender = OurExactlyOnce.copy(variant = Some(Variant.Idempotent))
  val KafkaBatchWrite: Contender = Contender(BatchWrite, Kafka)
  val KafkaStreamWrite: Contender = Contender(StreamWrite, Kafka)

  val reads: Seq[Contender] = Seq(SdkReceive, OurBatchRead, OurStreamV2, OurStreamV1, KafkaBatchRead, KafkaStream)

  /** Additional contenders for hubs with more than four partitions. */
  val inFourTasks: Seq[Contender] = Seq(OurBatchReadInFourTasks, OurStreamV2InFourTasks)
  val streams: Seq[Contender] = reads.filter(_.operation == StreamRead)
  val writes: Seq[Contender] =
    Seq(SdkSend, OurBatchWrite, OurStreamWriteV2, OurStreamWriteV1, OurExactlyOnce, KafkaBatchWrite, KafkaStreamWrite)

  /** Both are V1, to measure the cost of exactly once alone. */
  val guarantees: Seq[Contender] = Seq(OurStreamWriteV1, OurExactlyOnce)

  /** To measure what idempotent producers add to exactly once. */
  val exactlyOnce: Seq[Contender] = Seq(OurExactlyOnce, OurIdempotent)

  private val all = reads ++ inFourTasks ++ writes :+ OurIdempotent

  def parse(argument: String): Contender =
    all.find(_.argument == argument).getOrElse(
      throw new IllegalArgumentException(
        s"'$argument' is not a contender; expected one of ${all.map(_.argument).mkString(", ")}"
      )
    )
}
