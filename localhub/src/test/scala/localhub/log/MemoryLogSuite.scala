package localhub.log

import java.time.Clock

class MemoryLogSuite extends PartitionLogBehaviour {
  override protected def newLog(clock: Clock): PartitionLog = new MemoryLog(clock)
}
