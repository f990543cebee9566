package org.apache.spark.sql.eventhubs.sink

import scala.collection.mutable

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.amqp.EventErrors
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

/**
 * Finds what belongs to the hub that a row names. Names are not case-sensitive. Used by one thread.
 *
 * @param column with the hub's name
 * @param ofRows has the namespace
 * @param open   called once for each hub
 */
private[eventhubs] final class HubOfRow[A](column: Int, ofRows: EventHubName, open: EventHubName => A) {

  private val byName = mutable.HashMap.empty[UTF8String, A]
  private val byKey = mutable.LinkedHashMap.empty[String, A]

  /** Most rows name the hub of the row before. */
  private var last = Option.empty[(UTF8String, A)]

  /** @throws org.apache.spark.eventhubs.EventHubsException when the row names no hub, or none that can exist */
  def apply(row: InternalRow): A = {
    if (row.isNullAt(column)) throw noHub
    val name = row.getUTF8String(column)
    if (last.isEmpty || last.get._1 != name) {
      // The row's memory is used again for the next row.
      val kept = name.copy()
      last = Some((kept, byName.getOrElse(kept, find(kept))))
    }
    last.get._2
  }

  private def find(name: UTF8String): A = {
    val hub = ofRows.copy(name = name.toString)
    if (hub.name.trim.isEmpty) throw noHub
    if (!HubOfRow.Name.pattern.matcher(hub.name).matches) throw invalidName(hub.name)
    val found = byKey.getOrElseUpdate(hub.key, open(hub))
    if (byName.size >= HubOfRow.MaxSpellings) byName.clear()
    byName(name) = found
    found
  }

  private def noHub = EventErrors.invalidEvent(
    ofRows,
    "Its column 'eventHub' is null or empty, and no option names the event hub.",
    "Give it a hub with coalesce(eventHub, 'name'), filter it out, or set 'eventhubs.name' for all rows."
  )

  private def invalidName(name: String) = EventErrors.invalidEvent(
    ofRows,
    s"Its column 'eventHub' is '${name.take(60)}', which is no name of an event hub.",
    "Names have at most 256 letters, digits, periods, hyphens and underscores."
  )
}

private object HubOfRow {

  /** Nothing else becomes part of an address. */
  private val Name = "[A-Za-z0-9][A-Za-z0-9._-]{0,255}".r

  private val MaxSpellings = 10000
}
