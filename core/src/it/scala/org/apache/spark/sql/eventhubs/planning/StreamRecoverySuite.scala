package org.apache.spark.sql.eventhubs.planning

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.jdk.StreamConverters._

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.sql.eventhubs.source.{ApiVersion, StreamFixture}
import org.apache.spark.sql.eventhubs.{InterferingFileSystem, LegacyFiles}
import testkit.{Patience, TestSuite}

class V1StreamRecoverySuite extends StreamRecoveryBehaviour(ApiVersion.V1)
class V2StreamRecoverySuite extends StreamRecoveryBehaviour(ApiVersion.V2)

/** Restarts from a checkpoint. */
abstract class StreamRecoveryBehaviour(override protected val api: ApiVersion) extends TestSuite with StreamFixture {

  private val legacyResume = Seq(events(0, 116, 250), events(1, 93, 200), events(2, 69, 150), events(3, 18, 40)).flatten

  /** A checkpoint of the real legacy connector for the hub `ck`; event n of partition p is `p<p>-<n>`. */
  private def legacyCheckpoint(): Path = {
    val from = LegacyFiles.path("checkpoints/a/checkpoint")
    val to = newFolder()
    Files.walk(from).toScala(Seq).filter(Files.isRegularFile(_)).foreach { file =>
      val copy = to.resolve(from.relativize(file).toString)
      Files.createDirectories(copy.getParent)
      Files.copy(file, copy)
    }
    to
  }

  private def withLegacyHub(partitions: Int = 4)(test: => Unit): Unit = {
    localHub.createHub("ck", partitions)
    try test
    finally localHub.deleteHub("ck")
  }

  test("a restart continues after the last delivered event, also with events that arrived in the meantime") {
    val name = newHub(2)
    val checkpoint = newFolder()
    send(name, 10, 20)
    assertSame(readAvailable(stream(name, earliest), checkpoint).read, firstEvents(10, 20))
    send(name, 5, 0)
    assertSame(readAvailable(stream(name, earliest), checkpoint).read, events(0, 10, 15))
    assertSame(readAvailable(stream(name, earliest), checkpoint).read, Nil)
  }

  test("a batch that was planned and not finished is read again unchanged, although the limit changed") {
    val name = newHub(2)
    val checkpoint = newFolder()
    send(name, 30, 60)
    val limited = stream(name, earliest, "maxEventsPerTrigger" -> "45")
    val broken = start(
      limited,
      checkpoint,
      org.apache.spark.sql.streaming.Trigger.AvailableNow(),
      onBatch = id => if (id == 1) throw new IllegalStateException("the power went out")
    )
    assertThrows[org.apache.spark.sql.streaming.StreamingQueryException](broken.query.awaitTermination(
      Patience.queryMillis
    ))
    send(name, 7, 0)
    val resumed = readAvailable(stream(name, "maxEventsPerTrigger" -> "1000"), checkpoint)
    assertSame(resumed.batches.asScala.head._2, broken.batches.asScala.last._2)
    assertSame(broken.batches.asScala.head._2 ++ resumed.read, firstEvents(37, 60))
  }

  test("a checkpoint may be on a file system that only the session's settings define") {
    val name = newHub(1)
    send(name, 3)
    val scheme = InterferingFileSystem.Scheme
    val settings = Seq(
      s"fs.$scheme.impl" -> classOf[InterferingFileSystem].getName,
      // Otherwise Hadoop would use the file system that Spark has created with these settings.
      s"fs.$scheme.impl.disable.cache" -> "true"
    )
    settings.foreach { case (key, value) => spark.conf.set(key, value) }
    try {
      val query = stream(name, earliest).writeStream
        .format("noop")
        .option("checkpointLocation", newFolder().toUri.toString.replaceFirst("file", scheme))
        .trigger(org.apache.spark.sql.streaming.Trigger.AvailableNow())
        .start()
      assert(query.awaitTermination(Patience.queryMillis), "it has not ended in time")
      assert(query.recentProgress.map(_.numInputRows).sum == 3)
    } finally settings.foreach { case (key, _) => spark.conf.unset(key) }
  }

  test("a commit that was lost replays its batch exactly") {
    val name = newHub(2)
    val checkpoint = newFolder()
    send(name, 3, 3)
    readAvailable(stream(name, earliest), checkpoint)
    send(name, 4, 5)
    val last = readAvailable(stream(name, earliest), checkpoint)
    Files.delete(checkpoint.resolve("commits/1"))
    Files.deleteIfExists(checkpoint.resolve("commits/.1.crc"))
    send(name, 1, 1)
    val again = readAvailable(stream(name, earliest), checkpoint)
    assertSame(again.batches.asScala.head._2, last.read)
    assertSame(again.read, last.read ++ events(0, 7, 8) ++ events(1, 8, 9))
  }

  test("one API continues with the other's checkpoint") {
    val name = newHub(2)
    val checkpoint = newFolder()
    send(name, 6, 6)
    readAvailable(stream(name, earliest), checkpoint)
    send(name, 2, 1)
    val other = "eventhubs.useV1Source" -> (!api.useV1Source).toString
    assertSame(readAvailable(stream(name, earliest, other), checkpoint).read, events(0, 6, 8) ++ events(1, 6, 7))
  }

  test("the real legacy checkpoint continues exactly where the legacy connector did") {
    withLegacyHub() {
      send("ck", 250, 200, 150, 40)
      assertSame(readAvailable(stream("ck", earliest), legacyCheckpoint()).read, legacyResume)
    }
  }

  test("the legacy checkpoint's last batch, not committed, is replayed with its exact range") {
    withLegacyHub() {
      send("ck", 250, 200, 150, 40)
      val checkpoint = legacyCheckpoint()
      Files.delete(checkpoint.resolve("commits/2"))
      Files.deleteIfExists(checkpoint.resolve("commits/.2.crc"))
      val query = readAvailable(stream("ck", "maxEventsPerTrigger" -> "5000"), checkpoint)
      assertSame(
        query.batches.asScala.head._2,
        events(0, 78, 116) ++ events(1, 62, 93) ++ events(2, 46, 69) ++ events(3, 12, 18)
      )
      assertSame(query.read, query.batches.asScala.head._2 ++ legacyResume)
    }
  }

  test("the legacy connector's files stay unchanged, and hub.json identifies their hub") {
    withLegacyHub() {
      send("ck", 250, 200, 150, 40)
      val checkpoint = legacyCheckpoint()
      val before = Files.readAllBytes(checkpoint.resolve("sources/0/0")).toSeq
      readAvailable(stream("ck"), checkpoint)
      assert(Files.readAllBytes(checkpoint.resolve("sources/0/0")).toSeq == before)
      val identity = Files.readString(checkpoint.resolve("sources/0/hub.json"))
      assert(identity.contains("\"hub\":\"ck\"") && identity.contains("\"namespace\":\"localhost\""))
      assert(identity.contains(hub("ck").createdAt.toString.take(19)))
    }
  }

  test("a legacy checkpoint of another hub is refused, with both names") {
    val name = newHub(4)
    send(name, 250, 200, 150, 40)
    val error = failureOf(stream(name), legacyCheckpoint())
    assert(error.getCondition == "EVENTHUBS_CHECKPOINT_OF_ANOTHER_HUB")
    assert(error.getMessage.contains("ck") && error.getMessage.contains(name))
  }

  test("a checkpoint of this connector is refused for another hub before anything is read") {
    val names = Seq.fill(2)(newHub(1))
    names.foreach(send(_, 5))
    val checkpoint = newFolder()
    readAvailable(stream(names.head, earliest), checkpoint)
    val error: EventHubsException = failureOf(stream(names.last, earliest), checkpoint)
    assert(error.getCondition == "EVENTHUBS_CHECKPOINT_OF_ANOTHER_HUB")
    assert(names.forall(error.getMessage.contains(_)))
  }
}
