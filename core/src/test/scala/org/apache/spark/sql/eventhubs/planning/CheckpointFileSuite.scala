package org.apache.spark.sql.eventhubs.planning

import java.nio.file.{Files, Path}
import java.util.concurrent.{Callable, CyclicBarrier, Executors}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.node.ObjectNode
import jdk.jfr.Recording
import jdk.jfr.consumer.RecordingFile
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}

import org.apache.spark.eventhubs.Json
import org.apache.spark.sql.eventhubs.InterferingFileSystem
import org.apache.spark.sql.eventhubs.planning.CheckpointFile._
import testkit.TestSuite

class CheckpointFileSuite extends TestSuite {

  private val conf = new Configuration
  conf.set(InterferingFileSystem.Option, classOf[InterferingFileSystem].getName)

  private def newFolder(): Path = Files.createTempDirectory("checkpoint-file")

  private def node(value: Int): ObjectNode =
    Json.mapper.createObjectNode().put("version", 1).put("text", "a \"quoted\" ä").put("value", value)

  private def fileIn(folder: Path, scheme: String = "file"): CheckpointFile =
    newFile(new HadoopPath(s"$scheme://${folder.toAbsolutePath}/hub.json"))

  private def newFile(path: HadoopPath) = new CheckpointFile(path, CheckpointFile.fileSystem(path, conf))

  private def complete(value: Int): Content = Complete(node(value).toString, node(value))

  private def names(folder: Path): Set[String] = folder.toFile.list().toSet

  // The local disk has its own way of writing. The other file system is written through Hadoop, as an object store is.
  for ((where, scheme) <- Seq("on a local disk" -> "file", "on another file system" -> InterferingFileSystem.Scheme)) {

    test(s"a created file is read as it was written, in a folder that did not exist, $where") {
      val folder = newFolder().resolve("not/yet/there")
      assert(fileIn(folder, scheme).read() == Missing)
      assert(fileIn(folder, scheme).create(node(1)))
      assert(fileIn(folder, scheme).read() == complete(1))
    }

    test(s"an existing file is not created again and keeps its content, $where") {
      val folder = newFolder()
      assert(fileIn(folder, scheme).create(node(1)))
      assert(!fileIn(folder, scheme).create(node(2)))
      assert(fileIn(folder, scheme).read() == complete(1))
    }

    test(s"a replaced file has the new content, and no other file is left, $where") {
      val folder = newFolder().resolve("not/yet/there")
      assert(fileIn(folder, scheme).readReplaced() == Missing)
      Seq(1, 2).foreach { value =>
        fileIn(folder, scheme).replace(node(value))
        assert(fileIn(folder, scheme).readReplaced() == complete(value))
        assert(names(folder) == Set("hub.json"))
      }
    }

    test(s"a deleted file is missing, and deleting it again is no error, $where") {
      val folder = newFolder()
      fileIn(folder, scheme).create(node(1))
      fileIn(folder, scheme).delete()
      assert(fileIn(folder, scheme).read() == Missing)
      fileIn(folder, scheme).delete()
    }

    test(s"a replacement that stopped before its last step is finished by the next read, $where") {
      val folder = newFolder()
      fileIn(folder, scheme).create(node(1))
      Files.move(folder.resolve("hub.json"), folder.resolve(".hub.json.tmp"))
      assert(fileIn(folder, scheme).read() == Missing)
      assert(fileIn(folder, scheme).readReplaced() == complete(1))
      assert(names(folder) == Set("hub.json"))
    }
  }

  test("content survives a second interruption, while the next draft is written") {
    val folder = newFolder()
    Files.writeString(folder.resolve(".hub.json.tmp"), node(1).toString)
    assert(fileIn(folder).readReplaced() == complete(1))
    Files.writeString(folder.resolve(".hub.json.tmp"), node(2).toString.take(10))
    assert(fileIn(folder).readReplaced() == complete(1))
    fileIn(folder).replace(node(3))
    assert(fileIn(folder).readReplaced() == complete(3) && names(folder) == Set("hub.json"))
  }

  test("an incomplete draft without a file counts as missing") {
    val folder = newFolder()
    Files.writeString(folder.resolve(".hub.json.tmp"), "{\"vers")
    assert(fileIn(folder).readReplaced() == Missing)
  }

  test("an older draft does not replace a file that exists") {
    val folder = newFolder()
    Files.writeString(folder.resolve("hub.json"), node(2).toString)
    Files.writeString(folder.resolve(".hub.json.tmp"), node(1).toString)
    assert(fileIn(folder).readReplaced() == complete(2))
  }

  test("a file is recognised as cut off, wherever it ends") {
    val whole = node(17).toString
    val folder = newFolder()
    (0 until whole.length).foreach { length =>
      val text = whole.take(length)
      Files.writeString(folder.resolve("hub.json"), text)
      assert(fileIn(folder).read() == CutOff(text), s"the first $length characters of $whole")
    }
  }

  Seq("v1 of something else", "[1,2]", "17", "{\"version\":1} and more", "{\"version\":1,\"version\":2}").foreach {
    text =>
      test(s"text that is not the beginning of one JSON object is malformed: $text") {
        val folder = newFolder()
        Files.writeString(folder.resolve("hub.json"), text)
        fileIn(folder).read() match {
          case Malformed(found, problem) => assert(found == text && problem.nonEmpty)
          case other => fail(s"read as $other")
        }
      }
  }

  test("of several threads that create a file at the same moment, one succeeds") {
    val folder = newFolder()
    val threads = 4
    val together = new CyclicBarrier(threads)
    val pool = Executors.newFixedThreadPool(threads)
    try 1.to(50).foreach { round =>
        val file = newFile(new HadoopPath(folder.toUri.toString, round.toString))
        val create: Callable[Boolean] = { () =>
          together.await()
          file.create(node(round))
        }
        val created = pool.invokeAll(Seq.fill(threads)(create).asJava).asScala.map(_.get)
        assert(created.count(identity) == 1, s"round $round")
      }
    finally pool.shutdown()
  }

  test("the folder may be a symbolic link") {
    val place = newFolder()
    val link = Files.createSymbolicLink(place.resolve("link"), Files.createDirectory(place.resolve("folder")))
    assert(fileIn(link).create(node(1)) && fileIn(link).read() == complete(1))
    assert(Files.exists(place.resolve("folder/hub.json")))
  }

  test("on a local disk no operation starts a process or writes a checksum file") {
    val folder = newFolder()
    fileIn(folder).create(node(0))
    fileIn(folder).delete()
    val recording = new Recording
    recording.enable("jdk.ProcessStart")
    recording.start()
    fileIn(folder).read()
    fileIn(folder).create(node(1))
    fileIn(folder).replace(node(2))
    fileIn(folder).readReplaced()
    recording.stop()
    val dump = Files.createTempFile("processes", ".jfr")
    recording.dump(dump)
    recording.close()
    assert(RecordingFile.readAllEvents(dump).isEmpty)
    assert(names(folder) == Set("hub.json"))
  }
}
