package localhub.log

import java.time.Clock

class MemoryLogSuite extends PartitionLogBehaviour {
  override protected def newLog(clock: Clock): PartitionLog = new MemoryLog(clock)

  test("an append beyond the budget fails as a whole, and there is room again when events are removed or logs closed") {
    val budget = new MemoryBudget(2 * MemoryBudget.cost(10, 1000))
    val logs = Seq.fill(2)(new MemoryLog(Clock.systemUTC(), budget))
    def append(log: PartitionLog): Long = log.append(10, (_, _) => new Array[Byte](100)).sequenceNumber
    append(logs(0))
    append(logs(1))
    assert(intercept[LogFullException](append(logs(1))).getMessage.contains("data directory"))
    assert(logs(1).bounds.lastSequenceNumber == 9)
    logs(0).trimBefore(10)
    assert(append(logs(1)) == 19)
    logs(1).close()
    assert(append(logs(0)) == 19)
  }
}
