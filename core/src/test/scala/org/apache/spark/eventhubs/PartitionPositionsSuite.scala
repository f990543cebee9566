package org.apache.spark.eventhubs

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.eventhubs.EventPosition._

class PartitionPositionsSuite extends AnyFunSuite {

  private def read(json: String, hub: String = "telemetry"): Either[String, Map[Int, EventPosition]] =
    PartitionPositions.parse(json).flatMap(_.of(hub))

  private val legacy =
    """{"{\"ehName\": \"telemetry\", \"partitionId\": 0}": {"offset": "@latest", "seqNo": -1, "enqueuedTime": null, "isInclusive": true},
      | "{\"ehName\": \"telemetry\", \"partitionId\": 2}": {"offset": null, "seqNo": 100, "enqueuedTime": null, "isInclusive": true}}""".stripMargin

  test("the legacy's keys name hub and partition") {
    assert(read(legacy) == Right(Map(0 -> EndOfStream, 2 -> AtSequenceNumber(100, inclusive = true))))
  }

  test("a key may be the partition id alone, a value a number, a word, a time or an object") {
    assert(read("""{"0":123,"1":"latest","2":{"offset":-1},"3":"77"}""") == Right(Map(
      0 -> AtSequenceNumber(123, inclusive = true),
      1 -> EndOfStream,
      2 -> StartOfStream,
      3 -> AtSequenceNumber(77, inclusive = true)
    )))
  }

  test("hub names are compared as the service does, without regard to case") {
    assert(read(legacy, hub = "Telemetry").isRight)
  }

  test("a position for another hub is refused with both names") {
    assert(read(legacy, hub = "alerts") ==
      Left("partitions of the event hub 'alerts', which is read, and none of 'telemetry'"))
  }

  test("a partition that stands under both kinds of key is refused") {
    assert(read("""{"0":1,"{\"ehName\":\"telemetry\",\"partitionId\":0}":2}""") == Left("every partition once"))
  }

  Seq(
    """{"-1":5}""" -> "'-1' is not a partition id",
    """{"first":5}""" -> "'first' is not a partition id",
    """{"{\"ehName\":\"telemetry\"}":5}""" -> "is not a partition id",
    """{"{\"ehName\":\"telemetry\",\"partitionId\":-3}":5}""" -> "is not a partition id",
    """{"offset":"-1"}""" -> "'offset' is not a partition id",
    """{"0":-5}""" -> "for partition 0",
    """{"0":"newest"}""" -> "for partition 0",
    """{"0":null}""" -> "for partition 0",
    """{}""" -> "JSON that gives partitions their positions",
    """[1,2]""" -> "JSON that gives partitions their positions",
    """latest""" -> "not valid JSON"
  ).foreach { case (json, problem) =>
    test(s"$json is refused: $problem")(assert(read(json).left.getOrElse("accepted").contains(problem)))
  }

  test("written as the legacy writes them, in the order of the partitions") {
    val positions = Map(
      NameAndPartition("telemetry", 10) -> fromEndOfStream,
      NameAndPartition("telemetry", 3) -> fromSequenceNumber(7)
    )
    val json = PartitionPositions(positions).render
    assert(
      json ==
        """{"{\"ehName\":\"telemetry\",\"partitionId\":3}":{"offset":null,"seqNo":7,"enqueuedTime":null,"isInclusive":true},""" +
        """"{\"ehName\":\"telemetry\",\"partitionId\":10}":{"offset":"@latest","seqNo":-1,"enqueuedTime":null,"isInclusive":false}}"""
    )
    assert(PartitionPositions.parse(json).map(_.byName("telemetry")) == Right(positions))
  }
}
