package org.apache.spark.sql.eventhubs.bodies

import org.apache.avro.Schema
import org.apache.avro.generic.GenericDatumReader

/**
 * Decodes bodies that were written with one schema to values of the reader's schema. Not thread-safe.
 *
 * @param toSpark converts a value of the reader's schema
 */
private[bodies] final class AvroBody(writer: Schema, reader: Schema, toSpark: Any => Any) {

  private val datums = new GenericDatumReader[AnyRef](writer, reader)
  private val bytes = new AvroBytes

  /** Filled again by the next body, as its fields are. */
  private var datum = Option.empty[AnyRef]

  /** @param from where the value begins */
  def decode(body: Array[Byte], from: Int): Any = {
    bytes.set(body, from)
    val reused = datum
    datum = None
    val found = datums.read(reused.orNull, bytes)
    if (bytes.left > 0) throw new IllegalArgumentException(s"${bytes.left} bytes follow the value")
    datum = Option(found)
    toSpark(found)
  }
}
