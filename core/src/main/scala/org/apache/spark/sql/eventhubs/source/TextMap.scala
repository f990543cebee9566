package org.apache.spark.sql.eventhubs.source

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.eventhubs.amqp.AmqpText
import org.apache.spark.sql.catalyst.expressions.UnsafeMapData
import org.apache.spark.sql.catalyst.expressions.codegen.{UnsafeArrayWriter, UnsafeRowWriter}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/**
 * A map of text to text for one column, made anew in the same memory for each row. It has Spark's binary form from the
 * start: the projection of the row copies it as it is, where it would step through a map of objects.
 */
private[eventhubs] final class TextMap {

  private val writer = new UnsafeRowWriter(1)
  private val array = new UnsafeArrayWriter(writer, 8)
  private val keys = new ArrayBuffer[UTF8String](4)
  private val values = new ArrayBuffer[UTF8String](4)
  private val map = new UnsafeMapData

  def add(name: UTF8String, value: UTF8String): Unit = {
    keys += name
    values += value
  }

  /** What is not set is null in AMQP. */
  def addSet(name: String, value: Any): Unit =
    if (value != null) add(UTF8String.fromString(name), UTF8String.fromString(AmqpText.of(value)))

  /** What was added, in that order; valid until the next one. */
  def result(): UnsafeMapData = {
    writer.reset()
    val begin = writer.cursor
    // Before the keys stands how many bytes they take.
    writer.grow(8)
    writer.increaseCursor(8)
    write(keys)
    Platform.putLong(writer.getBuffer, begin.toLong, writer.cursor - begin - 8L)
    write(values)
    map.pointTo(writer.getBuffer, begin.toLong, writer.cursor - begin)
    map
  }

  private def write(texts: ArrayBuffer[UTF8String]): Unit = {
    array.initialize(texts.length)
    var i = 0
    while (i < texts.length) {
      array.write(i, texts(i))
      i += 1
    }
    texts.clear()
  }
}

private[eventhubs] object TextMap {

  val Empty: UnsafeMapData = new TextMap().result()
}
