package org.apache.spark.eventhubs.checkpoints

import java.nio.charset.StandardCharsets.{UTF_16, UTF_8}
import java.time.Instant

import org.apache.spark.eventhubs.EventPosition
import org.apache.spark.eventhubs.blob.{BlobContent, StoredBlob}
import testkit.TestSuite

class CheckpointParserSuite extends TestSuite {

  private def blob(metadata: (String, String)*) =
    StoredBlob("ns/hub/g/checkpoint/0", "1", metadata.toMap, Instant.EPOCH)

  private def json(text: String): Either[String, Option[StoredCheckpoint]] = json(text.getBytes(UTF_8))
  private def json(body: Array[Byte]) =
    CheckpointParser.ofJson(BlobContent(StoredBlob("g/0", "1", Map.empty, Instant.EPOCH), body))

  private def metadata(entries: (String, String)*) = CheckpointParser.ofMetadata(blob(entries: _*))

  test("the newest layout has the number of the last processed event, so reading continues after it") {
    val found = metadata("sequencenumber" -> "42", "offset" -> "4294967296").getOrElse(fail("no checkpoint"))
    assert(found.seqNo.contains(42) && found.offset.contains("4294967296"))
    assert(found.position.contains(EventPosition.AtSequenceNumber(42, inclusive = false)))
  }

  test("a checkpoint may have only a number or only an offset") {
    assert(metadata("sequencenumber" -> "7", "offset" -> "").map(_.offset) == Right(None))
    val byOffset = metadata("offset" -> "1:2:3").getOrElse(fail("no checkpoint"))
    assert(byOffset.position.contains(EventPosition.AtOffset("1:2:3", inclusive = false)))
    assert(metadata("offset" -> "-1").map(_.position) == Right(Some(EventPosition.StartOfStream)))
  }

  test("a blob that is no checkpoint says what is wrong") {
    assert(metadata().left.exists(_.contains("neither")))
    assert(metadata("ownerid" -> "a").left.exists(_.contains("neither")))
    assert(metadata("sequencenumber" -> "4x", "offset" -> "1").left.exists(_.contains("'4x'")))
    assert(metadata("sequencenumber" -> "-4").left.exists(_.contains("whole number from 0")))
  }

  test("EventProcessorHost's JSON is read in the spelling of each language, and that of Azure Functions") {
    val expected = Right(Some(StoredCheckpoint("g/0", Some(5), Some("128"), Instant.EPOCH)))
    val dotNet = """{"Offset":"128","SequenceNumber":5,"PartitionId":"0","Owner":"host","Token":"t","Epoch":3}"""
    val java = """{"offset":"128","sequenceNumber":5,"partitionId":"0","owner":"host","token":"t","epoch":3}"""
    val python = """{"event_processor_context":null,"partition_id":"0","offset":"128","sequence_number":5,"epoch":1}"""
    val functions = "\uFEFF{\"Offset\":\"128\",\"SequenceNumber\":5,\"PartitionId\":\"0\"}"
    Seq(dotNet, java, python, functions).foreach(text => assert(json(text) == expected, text))
  }

  test("a lease without a checkpoint is none") {
    val leases = Seq(
      """{"Offset":null,"SequenceNumber":0,"PartitionId":"0","Owner":"host","Token":"t","Epoch":1}""",
      """{"offset":"","sequence_number":null,"partition_id":"0","epoch":1}"""
    )
    leases.foreach(text => assert(json(text) == Right(None), text))
  }

  test("a checkpoint that EventProcessorHost wrote before its first event leaves no event out") {
    val texts = Seq(
      """{"Offset":"-1","SequenceNumber":0,"PartitionId":"0","Owner":"host","Token":"t","Epoch":1}""",
      """{"partition_id":"0","offset":"-1","sequence_number":"0","epoch":1}"""
    )
    val start = Right(Some(EventPosition.StartOfStream))
    texts.foreach(text => assert(json(text).map(_.flatMap(_.position)) == start, text))
    assert(metadata("sequencenumber" -> "0", "offset" -> "0").map(_.seqNo) == Right(Some(0L)))
  }

  test("a torn, foreign or binary content says what is wrong") {
    assert(json("""{"Offset":"12""").left.exists(_.contains("not valid JSON")))
    assert(json("").left.exists(_.contains("not valid JSON")))
    assert(json("[1]").left.exists(_.contains("not a JSON object")))
    assert(json("""{"id":"other"}""").left.exists(_.contains("no field of a checkpoint")))
    assert(json("""{"Offset":"1","SequenceNumber":"five"}""").left.exists(_.contains("'five'")))
    assert(json("""{"Offset":"1"}""".getBytes(UTF_16)).left.exists(_.contains("UTF-8")))
  }
}
