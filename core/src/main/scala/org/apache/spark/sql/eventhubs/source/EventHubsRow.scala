package org.apache.spark.sql.eventhubs.source

import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.sql.catalyst.expressions.BaseGenericInternalRow

/**
 * The current event of a reader as a row, which decodes a column when it is read for the first time. So a query pays
 * for the columns that it uses, although Spark tells a stream nothing about them.
 *
 * Spark 3.5 to 4.2 read only those columns. Over a V2 scan (batch, micro-batch, Real-Time Mode) Spark puts a projection
 * to the query's own columns, which no rule removes. A V1 stream is an `RDDScanExec`, and a V1 batch a
 * `RowDataSourceScanExec`. Their generated code reads a column where an operator of the same stage uses it. With
 * `spark.sql.codegen.wholeStage` = `false` they copy all columns of the row, which a V1 batch has pruned before.
 *
 * A reader has one row, valid until it advances. A copy has the values of all columns.
 *
 * @param cells how to decode each column, at most 32
 */
private[source] final class EventHubsRow(cells: Array[ReceivedEvent => Any]) extends BaseGenericInternalRow {

  private val values = new Array[Any](cells.length)
  private var event: ReceivedEvent = _

  /** One bit for each column whose value is in `values`. */
  private var decoded = 0

  /** This row, for another event. */
  def of(next: ReceivedEvent): EventHubsRow = {
    event = next
    decoded = 0
    this
  }

  override def numFields: Int = cells.length

  override protected def genericGet(ordinal: Int): Any = {
    if ((decoded & (1 << ordinal)) == 0) update(ordinal, cells(ordinal)(event))
    values(ordinal)
  }

  override def update(ordinal: Int, value: Any): Unit = {
    values(ordinal) = value
    decoded |= 1 << ordinal
  }

  override def setNullAt(ordinal: Int): Unit = update(ordinal, null)
}
