package org.apache.spark.eventhubs

import org.apache.spark.eventhubs.EventPosition._
import testkit.TestSuite

class PartitionPositionsSuite extends TestSuite {

  private def read(json: String, hub: String = "telemetry"): Either[String, Map[Int, EventPosition]] =
    PartitionPositions.parse(json).flatMap(_.forHub(hub))

  private val legacy =
    """{"{\"ehName\": \"telemetry\", \"partitionId\": 0}": {"offset": "@latest", "seqNo": -1, "enqueuedTime": null, "isInclusive": true},
      | "{\"ehName\": \"telemetry\", \"partitionId\": 2}": {"offset": null, "seqNo": 100, "enqueuedTime": null, "isInclusive": true}}""".stripMargin

  test("the legacy connector's keys name hub and partition") {
    assert(read(legacy) == Right(Map(0 -> EventPosition.EndOfStream, 2 -> AtSequenceNumber(100, inclusive = true))))
  }

  test("a key may be a partition id, and a value a number, a word, a time or an object") {
    assert(read("""{"0":123,"1":"latest","2":{"offset":-1},"3":"77"}""") == Right(Map(
      0 -> AtSequenceNumber(123, inclusive = true),
      1 -> EventPosition.EndOfStream,
      2 -> EventPosition.StartOfStream,
      3 -> AtSequenceNumber(77, inclusive = true)
    )))
  }

  test("hub names are compared in any case, as the service does") {
    assert(read(legacy, hub = "Telemetry").isRight)
  }

  test("a position for another hub is rejected, and the error names both hubs") {
    assert(read(legacy, hub = "alerts") ==
      Left("partitions of the event hub 'alerts', not of 'telemetry'"))
  }

  test("a partition with both kinds of key is rejected") {
    assert(read("""{"0":1,"{\"ehName\":\"telemetry\",\"partitionId\":0}":2}""") == Left("each partition once"))
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
    """{}""" -> "JSON with a position for each partition",
    """[1,2]""" -> "JSON with a position for each partition",
    """latest""" -> "not valid JSON"
  ).foreach { case (json, problem) =>
    test(s"$json is rejected: $problem")(assert(read(json).left.getOrElse("accepted").contains(problem)))
  }

  test("positions are rendered in the legacy connector's form, in the order of the partitions") {
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
    assert(PartitionPositions.parse(json).map(_.byNameAndPartition("telemetry")) == Right(positions))
  }
}
