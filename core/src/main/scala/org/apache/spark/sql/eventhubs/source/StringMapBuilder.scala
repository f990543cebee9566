package org.apache.spark.sql.eventhubs.source

import java.util.{HashMap => JavaHashMap}

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.eventhubs.amqp.AmqpText
import org.apache.spark.sql.catalyst.expressions.UnsafeMapData
import org.apache.spark.sql.catalyst.expressions.codegen.{UnsafeArrayWriter, UnsafeRowWriter}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/**
 * Builds a map of strings for one column, in the same memory for each row. The map has Spark's binary format, so that
 * the projection of the row copies it as a whole instead of entry by entry.
 *
 * Kafka headers may repeat a name, and an annotation may have the name of a property. Spark's maps must not: the last
 * value replaces the earlier ones and keeps the place of the first.
 */
private[eventhubs] final class StringMapBuilder {

  import StringMapBuilder.FewKeys

  private val writer = new UnsafeRowWriter(1)
  private val array = new UnsafeArrayWriter(writer, 8)
  private val keys = new ArrayBuffer[UTF8String](4)
  private val values = new ArrayBuffer[UTF8String](4)
  private val map = new UnsafeMapData

  /** Positions of the keys, when there are too many to compare each with each. */
  private val positions = new JavaHashMap[UTF8String, Integer]

  /** Drops the entries of an earlier event whose column could not be decoded. */
  def clear(): Unit = if (keys.nonEmpty) {
    keys.clear()
    values.clear()
    positions.clear()
  }

  def add(name: UTF8String, value: UTF8String): Unit = {
    val earlier = if (keys.length < FewKeys) keys.indexOf(name) else indexed(name)
    if (earlier >= 0) values(earlier) = value
    else {
      keys += name
      values += value
    }
  }

  private def indexed(name: UTF8String): Int = {
    while (positions.size < keys.length) positions.put(keys(positions.size), positions.size)
    val found = positions.get(name)
    if (found eq null) -1 else found
  }

  /** Adds no entry for null, which is AMQP's value of an unset property. */
  def addIfSet(name: String, value: Any): Unit =
    if (value != null) add(UTF8String.fromString(name), UTF8String.fromString(AmqpText.of(value)))

  /** The entries since the last call, in their order; valid until the next call. */
  def result(): UnsafeMapData = {
    writer.reset()
    val begin = writer.cursor
    // The length of the keys in bytes precedes the keys.
    writer.grow(8)
    writer.increaseCursor(8)
    write(keys)
    Platform.putLong(writer.getBuffer, begin.toLong, writer.cursor - begin - 8L)
    write(values)
    positions.clear()
    map.pointTo(writer.getBuffer, begin.toLong, writer.cursor - begin)
    map
  }

  private def write(texts: ArrayBuffer[UTF8String]): Unit = {
    array.initialize(texts.length)
    var i = 0
    while (i < texts.length) {
      if (texts(i) eq null) array.setNull8Bytes(i) else array.write(i, texts(i))
      i += 1
    }
    texts.clear()
  }
}

private[eventhubs] object StringMapBuilder {

  private val FewKeys = 16

  val Empty: UnsafeMapData = new StringMapBuilder().result()
}
