package localhub.namespace

import java.time.Duration

import scala.util.Using

import localhub.log.{LogEntry, ManualClock, PartitionLog, TempDirectory}
import localhub.{Compaction, HubConfig}
import testkit.TestSuite

/** Compaction in memory and on disk, with events such as `key=value` and tombstones such as `key=`. */
class CompactionSuite extends TestSuite {

  private val keyOf: LogEntry => CompactionKey = entry => {
    val text = new String(entry.payload)
    if (!text.contains('=')) CompactionKey(None, isTombstone = false)
    else CompactionKey(Some(text.takeWhile(_ != '=')), text.endsWith("="))
  }

  private val policy = Compaction(tombstoneRetention = Duration.ofSeconds(100), minLag = Duration.ofSeconds(10))

  private def append(hub: EventHub, events: String*): Unit =
    events.foreach(text => hub.partitions(0).append(1, (_, _) => text.getBytes))

  private def texts(log: PartitionLog): Seq[String] =
    log.readBatch(log.bounds.beginSequenceNumber, 1000, 1 << 20).map(entry => new String(entry.payload))

  private val storages = Seq[(String, ManualClock => HubStorage)](
    "in memory" -> (clock => HubStorage.inMemory(clock)),
    "on disk" -> (clock => new DataDirectory(TempDirectory.create(), clock, fsync = false))
  )

  private def withHub(storage: ManualClock => HubStorage)(use: (EventHub, ManualClock, () => Unit) => Unit): Unit = {
    val clock = new ManualClock(0)
    Using.resource(new Namespace(clock, storage(clock))) { hubs =>
      val hub = hubs.create(HubConfig("telemetry", 1).withCompaction(policy)).get
      val sweep = new CompactionSweep(() => clock.millis(), keyOf)
      use(hub, clock, () => sweep(hub))
    }
  }

  storages.foreach { case (where, storage) =>
    test(s"$where, the latest event of each key remains, and events without a key; the active tail is not touched") {
      withHub(storage) { (hub, clock, sweep) =>
        append(hub, "a=1", "b=1", "loose", "a=2", "b=2", "a=3")
        clock.now = 20000
        append(hub, "a=4", "a=5")
        sweep()
        assert(texts(hub.partitions(0)) == Seq("loose", "b=2", "a=3", "a=4", "a=5"))
        val bounds = hub.partitions(0).bounds
        assert(bounds.beginSequenceNumber == 0 && bounds.lastSequenceNumber == 7)
        clock.now = 40000
        sweep()
        assert(texts(hub.partitions(0)) == Seq("loose", "b=2", "a=5"))
      }
    }

    test(s"$where, a tombstone removes the events of its key at once, and goes after its time") {
      withHub(storage) { (hub, clock, sweep) =>
        append(hub, "a=1", "b=1", "a=")
        clock.now = 50000
        sweep()
        assert(texts(hub.partitions(0)) == Seq("b=1", "a="))
        clock.now = 99999
        sweep()
        assert(texts(hub.partitions(0)) == Seq("b=1", "a="))
        clock.now = 200000
        sweep()
        assert(texts(hub.partitions(0)) == Seq("b=1"))
        assert(hub.partitions(0).bounds.lastSequenceNumber == 2, "the service keeps reporting it")
      }
    }

    test(s"$where, a partition can be compacted now, with an active tail, and without tombstones") {
      withHub(storage) { (hub, _, _) =>
        append(hub, "a=1", "a=2", "b=", "a=3", "a=4")
        assert(hub.compact("0", Some(4), removeTombstones = false, keyOf))
        assert(texts(hub.partitions(0)) == Seq("b=", "a=3", "a=4"))
        assert(hub.compact("0", None, removeTombstones = true, keyOf))
        assert(texts(hub.partitions(0)) == Seq("a=4"))
        assert(!hub.compact("7", None, removeTombstones = true, keyOf))
      }
    }
  }

  test("retention by size counts removed events, because their space is not free") {
    val clock = new ManualClock(0)
    Using.resource(Namespace.inMemory(clock)) { hubs =>
      val limits = localhub.Retention(bytesPerPartition = Some(9))
      val hub = hubs.create(HubConfig("telemetry", 1, retention = limits)).get
      append(hub, "a=1", "b=1", "a=2", "b=2")
      hub.compact("0", None, removeTombstones = false, keyOf)
      hubs.applyRetention(hub)
      assert(hub.partitions(0).bounds.beginSequenceNumber == 1 && texts(hub.partitions(0)) == Seq("a=2", "b=2"))
    }
  }
}
