package org.apache.spark.eventhubs

import scala.jdk.CollectionConverters._
import scala.util.matching.Regex

/** The texts of `error/eventhubs-error-conditions.json`. In a message template, `<name>` is a parameter. */
private[spark] object ErrorConditions {

  private val Placeholder = "<([A-Za-z]+)>".r

  private val Secret = "(?i)\\b(sig|SharedAccessKey|SharedAccessSignature|AccountKey)(\\s*=\\s*['\"]?)[^;&\\s'\"]+".r

  final case class Entry(template: String, sqlState: String)

  lazy val entries: Map[String, Entry] = {
    val stream = getClass.getResourceAsStream("/error/eventhubs-error-conditions.json")
    try
      Json.mapper
        .readTree(stream)
        .properties
        .asScala
        .map { field =>
          val lines = field.getValue.get("message").elements.asScala.map(_.asText)
          field.getKey -> Entry(lines.mkString(" "), field.getValue.get("sqlState").asText)
        }
        .toMap
    finally stream.close()
  }

  /** One pass, so that a parameter value that looks like a placeholder is not replaced. */
  def message(condition: ErrorCondition, parameters: Map[String, String]): String =
    s"[$condition] " + Placeholder.replaceAllIn(
      entries(condition.name).template,
      found => Regex.quoteReplacement(parameters.getOrElse(found.group(1), found.matched))
    )

  /** The text with *** in place of each key and signature, wherever a user or the SDK has put them. */
  def withoutSecrets(text: String): String = Secret.replaceAllIn(text, "$1$2***")

  def sqlState(condition: ErrorCondition): String = entries(condition.name).sqlState
}

/**
 * A condition names what failed. Callers ask its properties instead of comparing names. The texts stand in
 * `error/eventhubs-error-conditions.json`.
 *
 * @param name as programs and the catalogue of texts have it
 */
private[spark] sealed abstract class ErrorCondition(val name: String) extends Product with Serializable {

  import ErrorCondition._

  /** Whether the service has not answered, so that the same question may get an answer later. */
  def mayPass: Boolean = isOneOf(Timeout, Unreachable, Throttled)

  /** Whether the service can be reached, and may answer when it is asked again at once. */
  def isSlow: Boolean = isOneOf(Timeout, Throttled)

  /** Whether the call may have got no connection. */
  def mayLackConnection: Boolean = isOneOf(Timeout, Unreachable)

  /** Whether a question about several partitions may have failed because one of them is down. */
  def mayBeOnePartition: Boolean = isOneOf(Timeout, Service)

  /** Whether the service does not let the credential do this, or does not have what it is done to. */
  def isRefusedAccess: Boolean = isOneOf(Authentication, NotFound)

  /** Whether a batch that failed can be repeated, once the tasks that may still send have ended. */
  def isMendedByRestart: Boolean =
    isOneOf(ExactlyOnce.StageRepeated, ExactlyOnce.TaskStillRuns, ExactlyOnce.Promoted)

  /** Whether an event cannot be decoded because of what it has. */
  def isOfBody: Boolean = isOneOf(Body.NoSchemaId, Body.UnknownSchema, Body.Mismatch)

  /** Whether the connector did not expect the failure, so that the place in the code and the cause matter. */
  def isUnexpected: Boolean = isOneOf(Service, ReceiveFailed, MalformedEvent)

  private def isOneOf(conditions: ErrorCondition*): Boolean = conditions.contains(this)

  override def toString: String = name
}

private[spark] object ErrorCondition {

  case object UnknownOption extends ErrorCondition("EVENTHUBS_UNKNOWN_OPTION")
  case object InvalidOption extends ErrorCondition("EVENTHUBS_INVALID_OPTION")
  case object MissingOption extends ErrorCondition("EVENTHUBS_MISSING_OPTION")
  case object ConflictingOptions extends ErrorCondition("EVENTHUBS_CONFLICTING_OPTIONS")
  case object UnsupportedOption extends ErrorCondition("EVENTHUBS_UNSUPPORTED_OPTION")
  case object InvalidConnectionString extends ErrorCondition("EVENTHUBS_INVALID_CONNECTION_STRING")
  case object Authentication extends ErrorCondition("EVENTHUBS_AUTHENTICATION")
  case object NotFound extends ErrorCondition("EVENTHUBS_NOT_FOUND")
  case object NoMatchingHub extends ErrorCondition("EVENTHUBS_NO_MATCHING_HUB")
  case object Unreachable extends ErrorCondition("EVENTHUBS_UNREACHABLE")
  case object Certificate extends ErrorCondition("EVENTHUBS_CERTIFICATE")
  case object Proxy extends ErrorCondition("EVENTHUBS_PROXY")
  case object Timeout extends ErrorCondition("EVENTHUBS_TIMEOUT")
  case object Throttled extends ErrorCondition("EVENTHUBS_THROTTLED")
  case object QuotaExceeded extends ErrorCondition("EVENTHUBS_QUOTA_EXCEEDED")
  case object ReceiverDisconnected extends ErrorCondition("EVENTHUBS_RECEIVER_DISCONNECTED")
  case object Service extends ErrorCondition("EVENTHUBS_SERVICE")
  case object ReceiveFailed extends ErrorCondition("EVENTHUBS_RECEIVE_FAILED")
  case object MalformedEvent extends ErrorCondition("EVENTHUBS_MALFORMED_EVENT")
  case object MalformedOffset extends ErrorCondition("EVENTHUBS_MALFORMED_OFFSET")
  case object MalformedIdentity extends ErrorCondition("EVENTHUBS_MALFORMED_IDENTITY")
  case object UnsupportedLogVersion extends ErrorCondition("EVENTHUBS_UNSUPPORTED_LOG_VERSION")
  case object CheckpointOfAnotherHub extends ErrorCondition("EVENTHUBS_CHECKPOINT_OF_ANOTHER_HUB")
  case object PartitionsNarrowed extends ErrorCondition("EVENTHUBS_PARTITIONS_NARROWED")
  case object StartAfterEnd extends ErrorCondition("EVENTHUBS_START_AFTER_END")
  case object PositionBeyondEnd extends ErrorCondition("EVENTHUBS_POSITION_BEYOND_END")
  case object OffsetNotAccepted extends ErrorCondition("EVENTHUBS_OFFSET_NOT_ACCEPTED")
  case object EventTooLarge extends ErrorCondition("EVENTHUBS_EVENT_TOO_LARGE")
  case object InvalidEvent extends ErrorCondition("EVENTHUBS_INVALID_EVENT")
  case object InvalidWriteSchema extends ErrorCondition("EVENTHUBS_INVALID_WRITE_SCHEMA")
  case object MalformedWriteLog extends ErrorCondition("EVENTHUBS_MALFORMED_WRITE_LOG")
  case object JarAddedLate extends ErrorCondition("EVENTHUBS_JAR_ADDED_LATE")
  case object NotForTables extends ErrorCondition("EVENTHUBS_NOT_FOR_TABLES")
  case object UnsupportedSaveMode extends ErrorCondition("EVENTHUBS_UNSUPPORTED_SAVE_MODE")

  sealed abstract class HubList(kind: String) extends ErrorCondition(s"EVENTHUBS_HUB_LIST.$kind")
  object HubList {
    case object Authentication extends HubList("AUTHENTICATION")
    case object Unreachable extends HubList("UNREACHABLE")
    case object Service extends HubList("SERVICE")
  }

  sealed abstract class SchemaRegistry(kind: String) extends ErrorCondition(s"EVENTHUBS_SCHEMA_REGISTRY.$kind")
  object SchemaRegistry {
    case object Authentication extends SchemaRegistry("AUTHENTICATION")
    case object NotFound extends SchemaRegistry("NOT_FOUND")
    case object Unreachable extends SchemaRegistry("UNREACHABLE")
    case object Service extends SchemaRegistry("SERVICE")

    /** Spark has no type for the schema. */
    case object UnsupportedSchema extends SchemaRegistry("UNSUPPORTED_SCHEMA")

    /** The session lacks Spark's module for Avro. */
    case object NoAvro extends SchemaRegistry("NO_AVRO")
  }

  sealed abstract class Body(kind: String) extends ErrorCondition(s"EVENTHUBS_BODY.$kind")
  object Body {

    /** The event names no schema, or names it in a form that is not the registry's. */
    case object NoSchemaId extends Body("NO_SCHEMA_ID")
    case object UnknownSchema extends Body("UNKNOWN_SCHEMA")

    /** The body is not what its schema says, or the schema does not fit the reader's. */
    case object Mismatch extends Body("MISMATCH")
  }

  sealed abstract class Ownership(kind: String) extends ErrorCondition(s"EVENTHUBS_OWNERSHIP.$kind")
  object Ownership {
    case object Held extends Ownership("HELD")
    case object Lost extends Ownership("LOST")
    case object Malformed extends Ownership("MALFORMED")
  }

  sealed abstract class DataLoss(kind: String) extends ErrorCondition(s"EVENTHUBS_DATA_LOSS.$kind")
  object DataLoss {

    /** Retention removed events before they were read. */
    case object Expired extends DataLoss("EXPIRED")

    /** The hub was recreated. Its sequence numbers restarted. */
    case object Recreated extends DataLoss("RECREATED")

    /** The secondary region of a geo-replicated hub was promoted. It may lack the newest events of the old primary. */
    case object FailedOver extends DataLoss("FAILED_OVER")
    case object PartitionRemoved extends DataLoss("PARTITION_REMOVED")

    /** Sequence numbers are missing inside the retained range: compaction, or a fault of the service. */
    case object Gap extends DataLoss("GAP")
  }

  sealed abstract class ExactlyOnce(kind: String) extends ErrorCondition(s"EVENTHUBS_EXACTLY_ONCE.$kind")
  object ExactlyOnce {
    case object NoCheckpoint extends ExactlyOnce("NO_CHECKPOINT")
    case object Speculation extends ExactlyOnce("SPECULATION")
    case object AsyncProgress extends ExactlyOnce("ASYNC_PROGRESS")
    case object OutcomeUnknown extends ExactlyOnce("OUTCOME_UNKNOWN")
    case object RowsChanged extends ExactlyOnce("ROWS_CHANGED")
    case object StageRepeated extends ExactlyOnce("STAGE_REPEATED")
    case object TaskStillRuns extends ExactlyOnce("TASK_STILL_RUNS")
    case object Promoted extends ExactlyOnce("PROMOTED")
    case object Concurrent extends ExactlyOnce("CONCURRENT")
  }

  sealed abstract class CheckpointStore(kind: String) extends ErrorCondition(s"EVENTHUBS_CHECKPOINT_STORE.$kind")
  object CheckpointStore {
    case object NotFound extends CheckpointStore("NOT_FOUND")
    case object Authentication extends CheckpointStore("AUTHENTICATION")
    case object Unreachable extends CheckpointStore("UNREACHABLE")
    case object Service extends CheckpointStore("SERVICE")
    case object MalformedBlob extends CheckpointStore("MALFORMED_BLOB")
  }
}
