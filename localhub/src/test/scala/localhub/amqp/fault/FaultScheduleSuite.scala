package localhub.amqp.fault

import localhub.log.ManualClock
import testkit.TestSuite

/** When injected faults happen. */
class FaultScheduleSuite extends TestSuite {

  private def newFaults() = new Faults(new ManualClock(0), (_, _) => ())

  test("the same seed gives the same faults") {
    val faults = newFaults()
    def hits(seed: Long): Seq[Boolean] = {
      faults.clear()
      faults.seed(seed)
      faults.inject(Fault(FaultAction.Throttle, Occasion.Send, probability = 0.5))
      Seq.fill(50)(faults.at(Occasion.Send, FaultScope()).nonEmpty)
    }
    assert(hits(1) == hits(1) && hits(1) != hits(2) && hits(1).contains(true) && hits(1).contains(false))
  }

  test("a fault skips occasions, and its count and scope limit it") {
    val faults = newFaults()
    val fault = Fault(FaultAction.Throttle, Occasion.Send, FaultScope(hub = Some("a")), skip = 2, count = Some(1))
    faults.inject(fault)
    def hit(hub: String) = faults.at(Occasion.Send, FaultScope(hub = Some(hub))).nonEmpty
    assert(Seq(hit("a"), hit("b"), hit("A"), hit("a"), hit("a")) == Seq(false, false, false, true, false))
  }

  test("a fault that cannot happen on its occasion is refused, and the error lists the possible ones") {
    val error = intercept[IllegalArgumentException](Fault(FaultAction.RefuseToken, Occasion.Send))
    assert(error.getMessage.contains("RefuseToken cannot happen on occasion Send; expected one of PutToken"))
  }
}
