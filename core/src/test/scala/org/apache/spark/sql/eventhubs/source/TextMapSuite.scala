package org.apache.spark.sql.eventhubs.source

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.util.MapData
import org.apache.spark.sql.types.{MapType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

class TextMapSuite extends AnyFunSuite {

  private val letters = Seq("a", "7", " ", "ß", "漢", "😀")
  private val schema = new StructType().add("properties", MapType(StringType, StringType))

  private def entries(map: MapData): Seq[(String, String)] =
    (0 until map.numElements()).map { i =>
      map.keyArray().getUTF8String(i).toString -> map.valueArray().getUTF8String(i).toString
    }

  private def filled(map: TextMap, texts: Seq[(String, String)]): MapData = {
    texts.foreach { case (name, value) => map.add(UTF8String.fromString(name), UTF8String.fromString(value)) }
    map.result()
  }

  test("a map holds what was added since the last one, in its order, whatever its size") {
    val (random, map) = (new Random(7), new TextMap)
    def text(): String =
      Seq.fill(
        random.nextInt(if (random.nextInt(20) == 0) 5000 else 12)
      )(letters(random.nextInt(letters.length))).mkString
    (0 to 200).foreach { i =>
      val texts = Seq.fill(i % 40)(text() -> text())
      assert(entries(filled(map, texts)) == texts)
    }
  }

  test("a projection takes it into its row, where the next map does not reach it") {
    val (map, project) = (new TextMap, UnsafeProjection.create(schema))
    val texts = Seq("site" -> "north-17", "unit" -> "", "größe" -> "4 µm")
    val row = project(InternalRow(filled(map, texts)))
    val copied = InternalRow(filled(map, texts)).copy()
    filled(map, Seq("other" -> "other" * 100))
    assert(entries(row.getMap(0)) == texts)
    assert(entries(copied.getMap(0)) == texts)
  }

  test("what is not set is no entry, and no entries are an empty map") {
    val map = new TextMap
    map.addSet("subject", null)
    assert(entries(map.result()) == Nil && entries(TextMap.Empty) == Nil)
    map.addSet("group-sequence", 7)
    assert(entries(map.result()) == Seq("group-sequence" -> "7"))
  }
}
