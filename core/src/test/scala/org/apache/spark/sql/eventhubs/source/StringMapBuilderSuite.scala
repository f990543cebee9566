package org.apache.spark.sql.eventhubs.source

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.util.MapData
import org.apache.spark.sql.types.{MapType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String
import testkit.TestSuite

class StringMapBuilderSuite extends TestSuite {

  private val letters = Seq("a", "7", " ", "ß", "漢", "😀")
  private val schema = new StructType().add("properties", MapType(StringType, StringType))

  private def entries(map: MapData): Seq[(String, String)] =
    (0 until map.numElements()).map { i =>
      map.keyArray().getUTF8String(i).toString -> map.valueArray().getUTF8String(i).toString
    }

  private def filled(map: StringMapBuilder, texts: Seq[(String, String)]): MapData = {
    texts.foreach { case (name, value) => map.add(UTF8String.fromString(name), UTF8String.fromString(value)) }
    map.result()
  }

  test("a name is in the map once, with its last value, whatever the size of the map") {
    val map = new StringMapBuilder
    for (size <- Seq(1, 2, 15, 16, 17, 18, 500)) {
      val texts = (0 until size).map(i => s"name $i" -> s"$i")
      val again = Seq(texts.head._1 -> "again", texts.last._1 -> "again", texts.last._1 -> "last")
      val expected = texts.toMap ++ again
      val found = entries(filled(map, texts ++ again))
      assert(found.map(_._1) == texts.map(_._1))
      assert(found.toMap == expected)
    }
  }

  test("a value that is null is null in the map, and leaves nothing in the next one") {
    val map = new StringMapBuilder
    def values(found: MapData) = (0 until found.numElements()).map { i =>
      if (found.valueArray().isNullAt(i)) None else Some(found.valueArray().getUTF8String(i).toString)
    }
    for (size <- Seq(1, 20)) {
      (0 until size).foreach(i =>
        map.add(UTF8String.fromString(s"$i"), if (i % 2 == 0) null else UTF8String.EMPTY_UTF8)
      )
      assert(values(map.result()) == (0 until size).map(i => if (i % 2 == 0) None else Some("")))
      (0 until size).foreach(i => map.add(UTF8String.fromString(s"$i"), UTF8String.fromString("text")))
      assert(values(map.result()) == Seq.fill(size)(Some("text")))
    }
  }

  test("a map has the entries since the last map, in their order, whatever its size") {
    val (random, map) = (new Random(7), new StringMapBuilder)
    def text(): String =
      Seq.fill(
        random.nextInt(if (random.nextInt(20) == 0) 5000 else 12)
      )(letters(random.nextInt(letters.length))).mkString
    (0 to 200).foreach { i =>
      val texts = Seq.tabulate(i % 40)(n => s"${text()}$n" -> text())
      assert(entries(filled(map, texts)) == texts)
    }
  }

  test("a projection copies the map into its row, and the next map does not change it") {
    val (map, project) = (new StringMapBuilder, UnsafeProjection.create(schema))
    val texts = Seq("site" -> "north-17", "unit" -> "", "größe" -> "4 µm")
    val row = project(InternalRow(filled(map, texts)))
    val copied = InternalRow(filled(map, texts)).copy()
    filled(map, Seq("other" -> "other" * 100))
    assert(entries(row.getMap(0)) == texts)
    assert(entries(copied.getMap(0)) == texts)
  }

  test("an unset property is no entry, and without entries the map is empty") {
    val map = new StringMapBuilder
    map.addIfSet("subject", null)
    assert(entries(map.result()) == Nil && entries(StringMapBuilder.Empty) == Nil)
    map.addIfSet("group-sequence", 7)
    assert(entries(map.result()) == Seq("group-sequence" -> "7"))
  }
}
