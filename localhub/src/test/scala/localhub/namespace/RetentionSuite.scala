package localhub.namespace

import java.time.Duration

import scala.util.Using

import localhub.log.{DamagedLog, ManualClock, MemoryLog, PartitionLog, TempDirectory}
import localhub.{HubConfig, Retention}
import testkit.TestSuite

/** Retention by time and size, in memory and on disk. */
class RetentionSuite extends TestSuite {

  private def retained(
      retention: Retention,
      storage: ManualClock => HubStorage
  )(fill: (EventHub, ManualClock) => Unit): Seq[Long] = {
    val clock = new ManualClock(0)
    Using.resource(new Namespace(clock, storage(clock))) { hubs =>
      val hub = hubs.create(HubConfig("telemetry", 1, retention = retention)).get
      fill(hub, clock)
      hubs.applyRetention(hub)
      val bounds = hub.partitions(0).bounds
      bounds.beginSequenceNumber to bounds.lastSequenceNumber
    }
  }

  private def append(hub: EventHub, bytes: Int): Unit = append(hub.partitions(0), bytes)

  private def append(log: PartitionLog, bytes: Int): Unit = {
    log.append(1, (_, _) => new Array[Byte](bytes))
    ()
  }

  private val storages = Seq[(String, ManualClock => HubStorage)](
    "in memory" -> (clock => HubStorage.inMemory(clock)),
    "on disk" -> (clock => new DataDirectory(TempDirectory.create(), clock, fsync = false))
  )

  storages.foreach { case (where, storage) =>
    test(s"$where, events older than the limit are removed") {
      val kept = retained(Retention(time = Some(Duration.ofSeconds(10))), storage) { (hub, clock) =>
        Seq(0L, 5000L, 9000L).foreach { at =>
          clock.now = at
          append(hub, 10)
        }
        clock.now = 15000
      }
      assert(kept == Seq(1, 2))
    }

    test(s"$where, the oldest events are removed when a partition is too large") {
      val kept =
        retained(Retention(bytesPerPartition = Some(250)), storage)((hub, _) => (1 to 5).foreach(_ => append(hub, 100)))
      assert(kept == Seq(3, 4))
    }

    test(s"$where, a partition within its limits keeps all events") {
      val limits = Retention(Some(Duration.ofSeconds(10)), Some(200))
      assert(retained(limits, storage)((hub, _) => (1 to 2).foreach(_ => append(hub, 100))) == Seq(0, 1))
    }

    test(s"$where, all events are removed when all are too old") {
      val kept = retained(Retention(time = Some(Duration.ofSeconds(1))), storage) { (hub, clock) =>
        (1 to 3).foreach(_ => append(hub, 1))
        clock.now = 5000
      }
      assert(kept.isEmpty)
    }
  }

  test("a partition that cannot be read does not stop retention for the others") {
    val clock = new ManualClock(0)
    val logs = IndexedSeq(DamagedLog.open(clock), new MemoryLog(clock))
    Using.resource(new Namespace(clock, new StubHubStorage(logs))) { hubs =>
      val hub = hubs.create(HubConfig("telemetry", 2, retention = Retention(bytesPerPartition = Some(7)))).get
      append(hub.partitions(1), 5)
      append(hub.partitions(1), 5)
      hubs.applyRetention(hub)
      assert(hub.partitions(1).bounds.beginSequenceNumber == 1)
    }
  }
}
