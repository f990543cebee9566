package org.apache.spark.sql.eventhubs.planning

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.sql.eventhubs.{EventHubsSourceOffset, LegacyFiles, TestSpark}
import testkit.TestSuite

class InitialOffsetLogSuite extends TestSuite with TestSpark {

  private val offset = EventHubsSourceOffset("ck", Map(0 -> 5L, 1 -> 7L))

  private def log(folder: Path) = new InitialOffsetLog(spark, folder.toUri.toString)

  private def read(folder: Path): EventHubsSourceOffset =
    log(folder).getOrElseAdd(throw new AssertionError("it is stored, so it need not be resolved"))

  private def folderWith(text: String): Path = {
    val folder = newFolder()
    Files.writeString(folder.resolve("0"), text)
    folder
  }

  test("the file has the legacy connector's format: a zero byte, the version, a line end, JSON") {
    val folder = newFolder()
    log(folder).getOrElseAdd(offset)
    val bytes = Files.readAllBytes(folder.resolve("0"))
    assert(bytes.toSeq == (0.toByte +: "v1\n{\"ck\":{\"0\":5,\"1\":7}}".getBytes(UTF_8).toSeq))
  }

  test("a stored offset is read and not resolved again") {
    val folder = newFolder()
    assert(log(folder).getOrElseAdd(offset) == offset)
    assert(read(folder) == offset)
  }

  test("the file of the real legacy connector is read") {
    val folder = newFolder()
    Files.copy(LegacyFiles.path("checkpoints/a/checkpoint/sources/0/0"), folder.resolve("0"))
    assert(read(folder) == EventHubsSourceOffset("ck", Map(0 -> 0L, 1 -> 0L, 2 -> 0L, 3 -> 0L)))
  }

  test("the file is never rewritten") {
    val folder = newFolder()
    Files.copy(LegacyFiles.path("checkpoints/a/checkpoint/sources/0/0"), folder.resolve("0"))
    val before = Files.readAllBytes(folder.resolve("0")).toSeq
    read(folder)
    assert(Files.readAllBytes(folder.resolve("0")).toSeq == before)
  }

  test("the format of Spark 2.1, JSON alone, is read") {
    val sample = """{"ehName1":{"0":456,"1":789},"ehName2":{"0":0}}"""
    assert(read(folderWith(sample)) == EventHubsSourceOffset.parse(sample))
  }

  test("a file of a newer connector is refused, with both versions") {
    val error = intercept[EventHubsException](read(folderWith("\u0000v99999\n{\"ck\":{\"0\":1}}")))
    assert(error.getCondition == "EVENTHUBS_UNSUPPORTED_LOG_VERSION")
    assert(error.getMessage.contains("maximum supported log version is v1, but encountered v99999"))
  }

  for (text <- Seq("", "\u0000", "\u0000v1", "\u0000vx\n{}", "\u0000v1\n", "\u0000v1\n{\"ck\":", "garbage"))
    test(s"a damaged file is refused: ${text.replace("\u0000", "0").replace("\n", "|")}") {
      val error = intercept[EventHubsException](read(folderWith(text)))
      assert(error.getCondition == "EVENTHUBS_MALFORMED_OFFSET")
    }

  test("two starts at once agree on one offset") {
    val folder = newFolder()
    val first = log(folder)
    val second = log(folder)
    first.getOrElseAdd(offset)
    assert(second.getOrElseAdd(EventHubsSourceOffset("ck", Map(0 -> 99L))) == offset)
  }
}
