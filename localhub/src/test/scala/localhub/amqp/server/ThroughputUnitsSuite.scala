package localhub.amqp.server

import localhub.log.ManualClock
import testkit.TestSuite

class ThroughputUnitsSuite extends TestSuite {

  private val time = new ManualClock(0)
  private val OneMB = 1024 * 1024

  test("a unit is 1,000 events a second") {
    val units = new ThroughputUnits(time)
    units.set("hub1", 2)
    assert(units.admit("HUB1", 2000, 10))
    assert(!units.admit("hub1", 1, 10))
    time.now += 500
    assert(units.admit("hub1", 1000, 10))
    assert(!units.admit("hub1", 1, 10))
  }

  test("a unit is 1 MB a second, and an excess is paid back later") {
    val units = new ThroughputUnits(time)
    units.set("hub1", 1)
    assert(units.admit("hub1", 1, OneMB - 1) && units.admit("hub1", 1, OneMB) && !units.admit("hub1", 1, 1))
    time.now += 500
    assert(!units.admit("hub1", 1, 1))
    time.now += 600
    assert(units.admit("hub1", 1, 1))
  }

  test("a hub without a setting has no limit; a limit can be removed") {
    val units = new ThroughputUnits(time)
    units.set("small", 1)
    assert((1 to 10).forall(_ => units.admit("hub1", 100000, OneMB)))
    units.admit("small", 100000, 1)
    units.clear("SMALL")
    assert(units.of("small").isEmpty && units.admit("small", 1, 1))
  }
}
