package localhub.namespace

import java.io.IOException
import java.time.{Clock, Duration}
import java.util.concurrent.atomic.{AtomicInteger, AtomicReference}

import localhub.log.{LogClosedException, LogPosition, MemoryLog}
import localhub.{HubConfig, InvalidHubException, Retention}
import testkit.TestSuite

class NamespaceSuite extends TestSuite {

  private def namespace() = Namespace.inMemory(Clock.systemUTC())

  private def append(hub: EventHub, partition: Int): LogPosition =
    hub.partitions(partition).append(1, (_, _) => Array[Byte](1))

  test("a hub is found by its name in upper or lower case") {
    val hubs = namespace()
    hubs.create("Telemetry", 2)
    assert(hubs.find("tELEMETRY").map(_.name).contains("Telemetry"))
  }

  test("creating an existing hub changes nothing") {
    val hubs = namespace()
    hubs.create("telemetry", 2)
    assert(hubs.create("TELEMETRY", 4).isEmpty && hubs.find("telemetry").exists(_.partitions.size == 2))
  }

  test("every hub has $Default, and its groups are found in upper or lower case") {
    val hub = namespace().create("telemetry", 1, Set("Dashboards")).get
    assert(hub.hasConsumerGroup("$default") && hub.hasConsumerGroup("dashBOARDS") && !hub.hasConsumerGroup("other"))
    assert(hub.consumerGroups == Seq("$Default", "Dashboards"))
  }

  test("only a plain number is a partition id") {
    val hub = namespace().create("telemetry", 2).get
    assert(Seq("0", "1").forall(hub.partition(_).isDefined))
    assert(Seq("2", "-1", "01", "+1", "", "a").forall(hub.partition(_).isEmpty))
  }

  test("a hub that grows keeps its events and gets empty partitions") {
    val hubs = namespace()
    val hub = hubs.create("telemetry", 1).get
    append(hub, 0)
    assert(hubs.ensure(HubConfig("telemetry", 3)) == EnsureResult.Changed(hub))
    assert(hub.partitions.map(_.bounds.lastSequenceNumber) == Seq(0, -1, -1))
  }

  test("ensure adds missing consumer groups and keeps the others") {
    val hubs = namespace()
    val hub = hubs.create("telemetry", 1, Set("a")).get
    assert(hubs.ensure(HubConfig("telemetry", 1, Set("b"))) == EnsureResult.Changed(hub))
    assert(hub.consumerGroups == Seq("$Default", "a", "b"))
  }

  test("ensure with the same settings changes nothing") {
    val hubs = namespace()
    val hub = hubs.create("telemetry", 2, Set("a")).get
    assert(hubs.ensure(HubConfig("Telemetry", 2, Set("A"))) == EnsureResult.Unchanged(hub))
  }

  test("partitions are never removed") {
    val hubs = namespace()
    hubs.create("telemetry", 4)
    val refused = hubs.ensure(HubConfig("telemetry", 2))
    val error = intercept[InvalidHubException](refused.orThrow())
    assert(error.getMessage.contains("'telemetry' has 4 partitions") && error.getMessage.contains("2 were asked for"))
  }

  test("a deletion notifies the listeners once, then the log is closed and empty") {
    val hubs = namespace()
    val hub = hubs.create("telemetry", 1).get
    append(hub, 0)
    val notified = new AtomicInteger
    hub.onDelete(() => { notified.incrementAndGet(); () })
    assert(hubs.delete("TELEMETRY") && !hubs.delete("telemetry"))
    assert(notified.get == 1 && hubs.find("telemetry").isEmpty && hub.partitions(0).read(0).isEmpty)
    intercept[LogClosedException](append(hub, 0))
  }

  test("a listener that is added after the deletion is notified at once") {
    val hubs = namespace()
    val hub = hubs.create("telemetry", 1).get
    hubs.delete("telemetry")
    val notified = new AtomicInteger
    hub.onDelete(() => { notified.incrementAndGet(); () })
    assert(notified.get == 1)
  }

  test("a hub that was deleted and created again is empty") {
    val hubs = namespace()
    append(hubs.create("telemetry", 1).get, 0)
    hubs.delete("telemetry")
    assert(hubs.create("telemetry", 1).get.partitions(0).bounds.lastSequenceNumber == -1)
  }

  test("recreate makes an empty hub with the same settings and notifies the clients of the old one") {
    val hubs = namespace()
    val old = hubs.create(HubConfig("telemetry", 2, Set("a"), throughputUnits = Some(1))).get
    append(old, 0)
    val notified = new AtomicInteger
    old.onDelete(() => { notified.incrementAndGet(); () })
    val recreated = hubs.recreate("TELEMETRY").get
    assert(notified.get == 1 && recreated.config == old.config && hubs.find("telemetry").contains(recreated))
    assert(recreated.partitions(0).bounds.lastSequenceNumber == -1 && hubs.recreate("other").isEmpty)
  }

  test("when clients are notified of a recreated hub, the new hub exists") {
    val hubs = namespace()
    val old = hubs.create("telemetry", 1).get
    val found = new AtomicReference(Option.empty[EventHub])
    old.onDelete(() => found.set(hubs.find("telemetry")))
    assert(hubs.recreate("telemetry") == found.get && found.get.nonEmpty && !found.get.contains(old))
  }

  test("a hub whose replacement fails is opened again, and its clients have to open new links") {
    val replacing = new StubHubStorage(_ => new MemoryLog(Clock.systemUTC()), () => throw new IOException("disk"))
    val hubs = new Namespace(Clock.systemUTC(), replacing)
    val old = hubs.create("telemetry", 1).get
    val notified = new AtomicInteger
    old.onDelete(() => { notified.incrementAndGet(); () })
    assert(intercept[IOException](hubs.recreate("telemetry")).getMessage == "disk")
    val opened = hubs.find("telemetry").get
    assert(opened != old && opened.createdAt == old.createdAt && notified.get == 1)
    assert(append(opened, 0).sequenceNumber == 0)
  }

  test("expire removes one partition's events before a sequence number") {
    val hub = namespace().create("telemetry", 2).get
    (0 to 1).foreach(partition => (1 to 3).foreach(_ => append(hub, partition)))
    assert(hub.expire("1", 2) && !hub.expire("2", 2))
    assert(hub.partitions.map(_.bounds.beginSequenceNumber) == Seq(0, 2))
  }

  test("given settings are changed, the others stay") {
    val hubs = namespace()
    val hour = Retention(time = Some(Duration.ofHours(1)))
    val hub = hubs.create(HubConfig("telemetry", 1, retention = hour)).get
    assert(hubs.ensure(HubConfig("telemetry", 1, throughputUnits = Some(2))) == EnsureResult.Changed(hub))
    assert(hub.config.retention == hour && hub.config.throughputUnits.contains(2))
  }
}
