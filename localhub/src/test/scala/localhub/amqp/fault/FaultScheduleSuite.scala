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

  test("what a fault with a count has stalled is resumed when the fault is cancelled or all are cleared") {
    for (action <- Seq(FaultAction.Stall, FaultAction.HideEvents)) {
      val faults = newFaults()
      def stalled() = {
        val injected = faults.inject(Fault(action, Occasion.Receive, count = Some(1)))
        val hit = faults.at(Occasion.Receive, FaultScope())
        // Another fault makes room in the list.
        faults.inject(Fault(FaultAction.Throttle, Occasion.Send))
        assert(faults.at(Occasion.Receive, FaultScope()).isEmpty, "it has happened once")
        (injected.id, hit.get)
      }
      val (id, first) = stalled()
      assert(faults.active.exists(_.id == id) && first.isHolding())
      assert(faults.cancel(id) && !first.isHolding())
      val (_, second) = stalled()
      faults.clear()
      assert(!second.isHolding())
    }
  }

  test("a fault that cannot happen on its occasion is refused, and the error lists the possible ones") {
    val error = intercept[IllegalArgumentException](Fault(FaultAction.RefuseToken, Occasion.Send))
    assert(error.getMessage.contains("RefuseToken cannot happen on occasion Send; expected one of PutToken"))
  }
}
