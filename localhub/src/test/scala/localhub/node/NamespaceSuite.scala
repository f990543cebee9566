package localhub.node

import java.time.{Clock, Duration}
import java.util.concurrent.atomic.{AtomicInteger, AtomicReference}

import org.scalatest.funsuite.AnyFunSuite

import localhub.log.{LogClosedException, LogPosition}
import localhub.{HubConfig, InvalidHubException, Retention}

class NamespaceSuite extends AnyFunSuite {

  private def namespace() = Namespace.inMemory(Clock.systemUTC())

  private def append(hub: EventHub, partition: Int): LogPosition =
    hub.partitions(partition).append(1, (_, _) => Array[Byte](1))

  test("a hub is found by its name without regard to case") {
    val hubs = namespace()
    hubs.create("Telemetry", 2)
    assert(hubs.find("tELEMETRY").map(_.name).contains("Telemetry"))
  }

  test("creating a hub that is there leaves it as it is") {
    val hubs = namespace()
    hubs.create("telemetry", 2)
    assert(hubs.create("TELEMETRY", 4).isEmpty && hubs.find("telemetry").exists(_.partitions.size == 2))
  }

  test("every hub has $Default, and its groups are found without regard to case") {
    val hub = namespace().create("telemetry", 1, Set("Dashboards")).get
    assert(hub.hasConsumerGroup("$default") && hub.hasConsumerGroup("dashBOARDS") && !hub.hasConsumerGroup("other"))
    assert(hub.consumerGroups == Seq("$Default", "Dashboards"))
  }

  test("only the plain number is a partition id") {
    val hub = namespace().create("telemetry", 2).get
    assert(Seq("0", "1").forall(hub.partition(_).isDefined))
    assert(Seq("2", "-1", "01", "+1", "", "a").forall(hub.partition(_).isEmpty))
  }

  test("a hub that grows keeps its events and gets empty partitions") {
    val hubs = namespace()
    val hub = hubs.create("telemetry", 1).get
    append(hub, 0)
    assert(hubs.ensure(HubConfig("telemetry", 3)) == Ensured.Changed(hub))
    assert(hub.partitions.map(_.bounds.lastSequenceNumber) == Seq(0, -1, -1))
  }

  test("a hub gets the consumer groups that it lacks and keeps those it has") {
    val hubs = namespace()
    val hub = hubs.create("telemetry", 1, Set("a")).get
    assert(hubs.ensure(HubConfig("telemetry", 1, Set("b"))) == Ensured.Changed(hub))
    assert(hub.consumerGroups == Seq("$Default", "a", "b"))
  }

  test("the same shape again changes nothing") {
    val hubs = namespace()
    val hub = hubs.create("telemetry", 2, Set("a")).get
    assert(hubs.ensure(HubConfig("Telemetry", 2, Set("A"))) == Ensured.Unchanged(hub))
  }

  test("partitions are never taken away") {
    val hubs = namespace()
    hubs.create("telemetry", 4)
    val refused = hubs.ensure(HubConfig("telemetry", 2))
    val error = intercept[InvalidHubException](refused.orThrow())
    assert(error.getMessage.contains("'telemetry' has 4 partitions") && error.getMessage.contains("2 were asked for"))
  }

  test("deleting tells the listeners once, then the log is closed and empty") {
    val hubs = namespace()
    val hub = hubs.create("telemetry", 1).get
    append(hub, 0)
    val told = new AtomicInteger
    hub.onDelete(() => { told.incrementAndGet(); () })
    assert(hubs.delete("TELEMETRY") && !hubs.delete("telemetry"))
    assert(told.get == 1 && hubs.find("telemetry").isEmpty && hub.partitions(0).read(0).isEmpty)
    intercept[LogClosedException](append(hub, 0))
  }

  test("who asks too late to be told of a deletion is told at once") {
    val hubs = namespace()
    val hub = hubs.create("telemetry", 1).get
    hubs.delete("telemetry")
    val told = new AtomicInteger
    hub.onDelete(() => { told.incrementAndGet(); () })
    assert(told.get == 1)
  }

  test("a recreated hub starts from nothing") {
    val hubs = namespace()
    append(hubs.create("telemetry", 1).get, 0)
    hubs.delete("telemetry")
    assert(hubs.create("telemetry", 1).get.partitions(0).bounds.lastSequenceNumber == -1)
  }

  test("recreating gives an empty hub of the same shape, and tells the clients of the old one") {
    val hubs = namespace()
    val old = hubs.create(HubConfig("telemetry", 2, Set("a"), throughputUnits = Some(1))).get
    append(old, 0)
    val told = new AtomicInteger
    old.onDelete(() => { told.incrementAndGet(); () })
    val recreated = hubs.recreate("TELEMETRY").get
    assert(told.get == 1 && recreated.config == old.config && hubs.find("telemetry").contains(recreated))
    assert(recreated.partitions(0).bounds.lastSequenceNumber == -1 && hubs.recreate("other").isEmpty)
  }

  test("when clients of a hub hear that it is recreated, the new one is there") {
    val hubs = namespace()
    val old = hubs.create("telemetry", 1).get
    val found = new AtomicReference(Option.empty[EventHub])
    old.onDelete(() => found.set(hubs.find("telemetry")))
    assert(hubs.recreate("telemetry") == found.get && found.get.nonEmpty && !found.get.contains(old))
  }

  test("expiring removes the events before a sequence number, of one partition") {
    val hub = namespace().create("telemetry", 2).get
    (0 to 1).foreach(partition => (1 to 3).foreach(_ => append(hub, partition)))
    assert(hub.expire("1", 2) && !hub.expire("2", 2))
    assert(hub.partitions.map(_.bounds.beginSequenceNumber) == Seq(0, 2))
  }

  test("settings that are named are changed, the others stay") {
    val hubs = namespace()
    val hour = Retention(time = Some(Duration.ofHours(1)))
    val hub = hubs.create(HubConfig("telemetry", 1, retention = hour)).get
    assert(hubs.ensure(HubConfig("telemetry", 1, throughputUnits = Some(2))) == Ensured.Changed(hub))
    assert(hub.config.retention == hour && hub.config.throughputUnits.contains(2))
  }
}
