package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.sql.eventhubs.source.StreamFixture
import testkit.{NotOnStrict, TestSuite}

/** The positions at which a query starts. */
class StreamPositionsSuite extends TestSuite with StreamFixture {

  test("a table in the catalogue is read by its name") {
    val name = newHub(1)
    send(name, 6)
    val set = options(name, Seq(earliest))
    val list = set.map { case (key, value) => s"'$key' '$value'" }.mkString(", ")
    spark.sql(s"CREATE TABLE flights USING eventhubs OPTIONS ($list)")
    try {
      assertSame(readAvailable(spark.readStream.table("flights")).read, firstEvents(6))
      val later = spark.readStream.option("eventhubs.startingPosition", "4").table("flights")
      assertSame(readAvailable(later).read, events(0, 4, 6))
    } finally { spark.sql("DROP TABLE flights"); () }
  }

  test("from earliest everything is read, once") {
    val name = newHub(3)
    send(name, 5, 0, 300)
    assertSame(readAvailable(stream(name, earliest)).read, firstEvents(5, 0, 300))
  }

  test("from latest, the default, only events after the query's start are read") {
    val name = newHub(2)
    send(name, 5, 3)
    running(stream(name)) { query =>
      query.catchUp()
      send(name, 2, 4)
      assertSame(query.catchUp(), events(0, 5, 7) ++ events(1, 3, 7))
    }
  }

  test("sequence numbers set the starts of single partitions; the others start at the position for all") {
    val name = newHub(5)
    send(name, 3, 3, 3, 3, 3)
    val positions =
      s"""{"{\\"ehName\\":\\"$name\\",\\"partitionId\\":1}":{"seqNo":2,"offset":null,"enqueuedTime":null,"isInclusive":true},
         | "{\\"ehName\\":\\"$name\\",\\"partitionId\\":2}":{"seqNo":0,"isInclusive":false},
         | "{\\"ehName\\":\\"$name\\",\\"partitionId\\":3}":{"offset":"@latest"}}""".stripMargin
    val read = readAvailable(stream(name, earliest, "eventhubs.startingPositions" -> positions)).read
    assertSame(read, events(0, 0, 3) ++ events(1, 2, 3) ++ events(2, 1, 3) ++ events(4, 0, 3))
  }

  test("an offset can be the start, inclusive or exclusive", NotOnStrict("in the hub itself, offsets are numbers")) {
    val name = newHub(1)
    send(name, 10)
    val offset = hub(name).partitions.head.read(6).get.position.offset
    val from = (inclusive: Boolean) => s"""{"offset":"$offset","isInclusive":$inclusive}"""
    assertSame(readAvailable(stream(name, "eventhubs.startingPosition" -> from(true))).read, events(0, 6, 10))
    assertSame(readAvailable(stream(name, "eventhubs.startingPosition" -> from(false))).read, events(0, 7, 10))
  }

  test("a time can be the start, inclusive or exclusive, with sub-millisecond precision") {
    val name = newHub(1)
    send(name, 4)
    val first = hub(name).partitions.head.bounds.lastEnqueuedMillis
    eventually("time passed")(System.currentTimeMillis() > first + 1)
    send(name, 3)
    val second = java.time.Instant.ofEpochMilli(hub(name).partitions.head.bounds.lastEnqueuedMillis)
    def from(time: java.time.Instant, inclusive: Boolean) = {
      val position = s"""{"enqueuedTime":"$time","isInclusive":$inclusive}"""
      readAvailable(stream(name, "eventhubs.startingPosition" -> position)).read
    }
    assertSame(from(java.time.Instant.ofEpochMilli(first), inclusive = true), events(0, 0, 7))
    assertSame(from(java.time.Instant.ofEpochMilli(first), inclusive = false), events(0, 4, 7))
    assertSame(from(java.time.Instant.ofEpochMilli(first).plusNanos(500000), inclusive = true), events(0, 4, 7))
    assertSame(from(second, inclusive = true), events(0, 4, 7))
    assertSame(from(second, inclusive = false), Nil)
    assertSame(from(second.plusNanos(1000), inclusive = true), Nil)
  }

  test("only the chosen subset of the partitions is read") {
    val name = newHub(6)
    send(name, 2, 2, 2, 2, 2, 2)
    val read = readAvailable(stream(name, earliest, "eventhubs.partitions" -> "0,3-4")).read
    assertSame(read, events(0, 0, 2) ++ events(3, 0, 2) ++ events(4, 0, 2))
  }

  test("a checkpoint wins over a changed position") {
    val name = newHub(1)
    send(name, 5)
    val checkpoint = newFolder()
    readAvailable(stream(name, earliest), checkpoint)
    send(name, 2)
    assertSame(readAvailable(stream(name, "eventhubs.startingPosition" -> "0"), checkpoint).read, events(0, 5, 7))
    assertSame(readAvailable(stream(name, "eventhubs.startingPosition" -> "latest"), checkpoint).read, Nil)
  }

  test("the first resolved latest position is kept, even if nothing was read before the restart") {
    val name = newHub(1)
    send(name, 5)
    val checkpoint = newFolder()
    running(stream(name), checkpoint)(_.catchUp())
    send(name, 3)
    assertSame(readAvailable(stream(name), checkpoint).read, events(0, 5, 8))
  }
}
