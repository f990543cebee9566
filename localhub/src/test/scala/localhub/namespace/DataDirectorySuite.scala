package localhub.namespace

import java.io.IOException
import java.nio.file.{Files, Path}
import java.time.Duration
import java.util.concurrent.atomic.AtomicBoolean

import scala.util.Using

import localhub.log.{ManualClock, TempDirectory}
import localhub.{Compaction, HubConfig, InvalidHubException, LocalHubException, Retention}
import testkit.TestSuite

class DataDirectorySuite extends TestSuite {

  private val clock = new ManualClock(1000)

  private def open[A](directory: Path)(use: Namespace => A): A =
    Using.resource(new Namespace(clock, new DataDirectory(directory, clock, fsync = false)))(use)

  private def append(hub: EventHub, partition: Int, text: String): Unit = {
    hub.partitions(partition).append(1, (_, _) => text.getBytes)
    ()
  }

  private def texts(hub: EventHub, partition: Int): Seq[String] =
    hub.partitions(partition).readBatch(0, 100, 10000).map(entry => new String(entry.payload))

  test("a geo-replicated hub is refused, because its log is in memory only") {
    open(TempDirectory.create()) { hubs =>
      val refused = intercept[InvalidHubException](hubs.create(HubConfig("telemetry", 1, geoReplication = true)))
      assert(refused.getMessage.contains("without a data directory") && hubs.all.isEmpty)
    }
  }

  test("a restart keeps hubs with their events, groups and creation time") {
    val directory = TempDirectory.create()
    val createdAt = open(directory) { hubs =>
      val hub = hubs.create("Telemetry", 2, Set("audit")).get
      append(hub, 1, "kept")
      hub.createdAt
    }
    clock.now += 1000
    open(directory) { hubs =>
      val hub = hubs.find("telemetry").get
      assert(hub.name == "Telemetry" && hub.createdAt == createdAt && hub.consumerGroups == Seq("$Default", "audit"))
      assert(texts(hub, 0).isEmpty && texts(hub, 1) == Seq("kept"))
    }
  }

  test("a restart keeps added partitions and groups") {
    val directory = TempDirectory.create()
    open(directory) { hubs =>
      append(hubs.create("telemetry", 1).get, 0, "old")
      append(hubs.ensure(HubConfig("telemetry", 3, Set("late"))).orThrow(), 2, "new")
    }
    open(directory) { hubs =>
      val hub = hubs.find("telemetry").get
      assert((0 to 2).map(texts(hub, _)) == Seq(Seq("old"), Nil, Seq("new")) && hub.hasConsumerGroup("late"))
    }
  }

  test("a deleted hub stays deleted, and a new hub of the same name is empty") {
    val directory = TempDirectory.create()
    open(directory) { hubs =>
      append(hubs.create("telemetry", 1).get, 0, "old")
      hubs.create("other", 1)
      hubs.delete("TELEMETRY")
    }
    open(directory) { hubs =>
      assert(hubs.all.map(_.name) == Seq("other"))
      assert(hubs.create("telemetry", 1).get.partitions(0).bounds.lastSequenceNumber == -1)
    }
  }

  test("a recreated hub is empty, also after a restart, and no file of the old one remains") {
    val directory = TempDirectory.create()
    open(directory) { hubs =>
      val old = hubs.create("telemetry", 1, Set("audit")).get
      append(old, 0, "old")
      val storedWhenNotified = new AtomicBoolean
      old.onDelete(() => storedWhenNotified.set(Files.exists(directory.resolve("hubs/telemetry/hub.json"))))
      clock.now += 1000
      append(hubs.recreate("telemetry").get, 0, "new")
      assert(storedWhenNotified.get && Files.list(directory.resolve("hubs")).count == 1)
    }
    open(directory) { hubs =>
      val hub = hubs.find("telemetry").get
      assert(texts(hub, 0) == Seq("new") && hub.consumerGroups == Seq("$Default", "audit"))
      assert(hub.createdAt.toEpochMilli == clock.now)
    }
  }

  test("a process that is killed while it recreates a hub leaves the old or the new hub") {
    val directory = TempDirectory.create()
    val hubs = directory.resolve("hubs")
    open(directory)(namespace => append(namespace.create("telemetry", 1).get, 0, "old"))
    Files.move(hubs.resolve("telemetry"), hubs.resolve(".replaced-telemetry"))
    Files.createDirectories(hubs.resolve(".new-telemetry"))
    open(directory) { namespace =>
      assert(texts(namespace.find("telemetry").get, 0) == Seq("old"))
    }
    Files.createDirectories(hubs.resolve(".replaced-telemetry").resolve("partition-0"))
    open(directory) { namespace =>
      assert(texts(namespace.find("telemetry").get, 0) == Seq("old"))
    }
    assert(Files.list(hubs).count == 1)
  }

  test("a hub that cannot be recreated, as on a full disk, keeps its events and takes new ones") {
    val directory = TempDirectory.create()
    val staged = directory.resolve("hubs/.new-telemetry")
    open(directory) { hubs =>
      append(hubs.create("telemetry", 2).get, 0, "old")
      // In the way of the second partition.
      Files.createDirectories(staged)
      Files.writeString(staged.resolve("partition-1"), "")
      intercept[IOException](hubs.recreate("telemetry"))
      append(hubs.find("telemetry").get, 0, "more")
      assert(texts(hubs.find("telemetry").get, 0) == Seq("old", "more"))
      assert(texts(hubs.recreate("telemetry").get, 0).isEmpty, "the failure leaves nothing in the way")
    }
    assert(Files.list(directory.resolve("hubs")).count == 1)
  }

  test("every allowed name has its own folder") {
    val directory = TempDirectory.create()
    val names = Seq("a" * 256, "a" * 255 + "b", "a" * 200, "x.y-z_0")
    open(directory)(hubs => names.foreach(name => append(hubs.create(name, 1).get, 0, name)))
    open(directory)(hubs => names.foreach(name => assert(texts(hubs.find(name).get, 0) == Seq(name))))
  }

  test("a directory that another local hub has open is refused") {
    val directory = TempDirectory.create()
    open(directory) { _ =>
      assert(intercept[LocalHubException](open(directory)(_ => ())).getMessage.contains("in use by another local hub"))
    }
    open(directory)(_ => ())
  }

  test("a file where a folder should be is named in one line") {
    val directory = TempDirectory.create()
    val hubs = Files.createFile(directory.resolve("hubs"))
    def refusal(of: Path) = intercept[LocalHubException](open(of)(_ => ())).getMessage
    val expected = s"The data directory $directory cannot be used: $hubs is a file; expected a folder."
    assert(refusal(directory) == expected && refusal(directory) == expected, "its lock is released")
    assert(refusal(hubs) == s"The data directory $hubs cannot be used: $hubs is a file; expected a folder.")
  }

  test("leftovers of a killed process that was creating or deleting a hub are removed") {
    val directory = TempDirectory.create()
    open(directory)(_.create("telemetry", 1))
    Seq(".new-half", ".deleted-half").foreach { name =>
      Files.createDirectories(directory.resolve("hubs").resolve(name).resolve("partition-0"))
    }
    open(directory)(hubs => assert(hubs.all.map(_.name) == Seq("telemetry")))
    assert(Files.list(directory.resolve("hubs")).count == 1)
  }

  test("the error names an unreadable hub description, and the directory is not left locked") {
    val directory = TempDirectory.create()
    open(directory)(_.create("telemetry", 1))
    val file = directory.resolve("hubs/telemetry/hub.json")
    val good = Files.readString(file)
    Seq("{", "{}", good.replace("\"format\": 1", "\"format\": 7")).foreach { bad =>
      Files.writeString(file, bad)
      assert(intercept[LocalHubException](open(directory)(_ => ())).getMessage.contains(file.toString))
    }
    Files.writeString(file, good)
    open(directory)(hubs => assert(hubs.all.size == 1))
  }

  test("a path that is a file is refused with its name") {
    val file = Files.createTempFile("not-a", "directory")
    assert(intercept[LocalHubException](open(file)(_ => ())).getMessage.contains(file.toString))
  }

  test("a restart keeps retention, throughput units and cleanup policy") {
    val directory = TempDirectory.create()
    val config = HubConfig("telemetry", 1, Set.empty, Retention(Some(Duration.ofHours(1)), Some(1L << 40)), Some(3))
      .withCompaction(Compaction(Duration.ofHours(2), Duration.ofSeconds(3)))
    open(directory)(_.create(config))
    open(directory)(hubs => assert(hubs.find("telemetry").map(_.config).contains(config)))
  }

  test("a start names a log file that cannot be read, and a partition's folder that is missing, and what to do") {
    val directory = TempDirectory.create()
    open(directory)(hubs => append(hubs.create("telemetry", 2).get, 0, "old"))
    def refusal() = intercept[LocalHubException](open(directory)(_.all)).getMessage
    val folder = directory.resolve("hubs").resolve("telemetry").resolve("partition-0")
    val log = folder.resolve("00000000000000000000.log")
    val kept = Files.move(log, directory.resolve("kept"))
    // A test that runs as root reads every file.
    Files.createDirectory(log)
    assert(
      refusal() == s"$log cannot be read: Is a directory. Give the local hub access to it, restore it from a copy, " +
        "or remove the folder of its event hub to start that hub empty."
    )
    Files.delete(log)
    Files.delete(folder)
    assert(refusal().startsWith(s"$folder is missing, with the events of a partition of 'telemetry'. Restore it"))
    Files.createDirectory(folder)
    Files.move(kept, log)
    open(directory)(hubs => assert(texts(hubs.find("telemetry").get, 0) == Seq("old")))
  }

  test("a hub that was killed while it got partitions starts with all of them") {
    val directory = TempDirectory.create()
    open(directory)(_.create("telemetry", 1))
    val storage = new DataDirectory(directory, clock, fsync = false)
    storage.save(storage.stored.map(hub => hub.copy(config = hub.config.copy(partitions = 2))).head)
    storage.close()
    open(directory)(hubs => assert(hubs.find("telemetry").get.partitions.length == 2))
  }
}
