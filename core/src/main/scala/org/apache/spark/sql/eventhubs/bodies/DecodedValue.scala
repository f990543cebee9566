package org.apache.spark.sql.eventhubs.bodies

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.options.DecodeMode
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, JoinedRow}
import org.apache.spark.sql.types.{DataType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** What a decoded body becomes, and what an event becomes that cannot be decoded. */
private[bodies] sealed trait DecodedValue {
  def dataType: DataType

  /** @param decoded null for an event without a body */
  def of(decoded: Any): Any

  /** Whether this failure becomes a value. */
  def keeps(failure: EventHubsException): Boolean

  def failed(failure: EventHubsException): Any
}

private[bodies] object DecodedValue {

  /** The column with the reason why an event was not decoded. */
  val Reason = "_decode_error"

  def apply(mode: DecodeMode, decoded: DataType): DecodedValue = mode match {
    case DecodeMode.FailFast => new Strict(decoded)
    case DecodeMode.Permissive => new WithReason(decoded)
  }

  private final class Strict(override val dataType: DataType) extends DecodedValue {
    override def of(decoded: Any): Any = decoded
    override def keeps(failure: EventHubsException): Boolean = false
    override def failed(failure: EventHubsException): Any = throw failure
  }

  /** A struct with one more field. A value that is no struct is its field `value`. */
  private final class WithReason(decoded: DataType) extends DecodedValue {

    private val (fields, isStruct) = decoded match {
      case struct: StructType => (struct, true)
      case other => (new StructType().add("value", other), false)
    }

    override val dataType: StructType =
      StructType(fields.map(_.copy(nullable = true))).add(Reason, StringType)

    private val noReason = new GenericInternalRow(1)
    private val noValues = new GenericInternalRow(fields.size)

    override def of(value: Any): Any = value match {
      case null => value
      case row: InternalRow if isStruct => new JoinedRow(row, noReason)
      case other => new JoinedRow(new GenericInternalRow(Array[Any](other)), noReason)
    }

    /** A registry that does not answer says nothing about the event: it may be decoded when the query restarts. */
    override def keeps(failure: EventHubsException): Boolean = failure.condition.isOfBody

    override def failed(failure: EventHubsException): Any =
      new JoinedRow(noValues, new GenericInternalRow(Array[Any](UTF8String.fromString(failure.getMessage))))
  }
}
