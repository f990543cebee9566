package org.apache.spark.sql.eventhubs.exactlyonce

import java.time.Instant

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.generation.HubGeneration
import testkit.TestSuite

/** Whether all events that a partition got since some positions lie after these, also after a promotion. */
class HubPositionsSuite extends TestSuite {

  private def at(next: Long, epoch: Int) = HubPositions(
    EventHubName("ns.example", "alerts"),
    HubGeneration.CreatedAt(Instant.EPOCH),
    Map(0 -> next),
    Map(0 -> epoch)
  )

  /** The epochs of the events of a partition. */
  private def epochs(ofEvents: Int*)(seqNo: Long): Option[Int] = ofEvents.lift(seqNo.toInt)

  test("the partitions with a later epoch are those in which a region was promoted") {
    assert(at(2, 1).promotedUntil(at(9, 2)) == Seq(0) && at(2, 1).promotedUntil(at(9, 1)).isEmpty)
  }

  test("the event before them has its epoch still: the promoted region has all events from before") {
    assert(at(2, 1).holdsIn(0, at(4, 2))(epochs(1, 1, 2, 2)))
    assert(at(2, 1).holdsIn(0, at(4, 2))(epochs(1, 1, 1, 2)))
  }

  test("the event before them has a later epoch: the region has given earlier numbers again") {
    assert(!at(2, 1).holdsIn(0, at(4, 2))(epochs(1, 2, 2, 2)))
    assert(!at(2, 1).holdsIn(0, at(4, 3))(epochs(2, 2, 3, 3)))
  }

  test("the partition ends before them") {
    assert(!at(3, 1).holdsIn(0, at(2, 2))(epochs(1, 2)))
  }

  test("the event before them has expired, or no event comes") {
    assert(!at(2, 1).holdsIn(0, at(4, 2))(seqNo => epochs(1, 1, 2, 2)(math.max(2, seqNo))))
    assert(!at(2, 1).holdsIn(0, at(4, 2))(_ => None))
  }

  test("nothing lies before the first number") {
    assert(at(0, 1).holdsIn(0, at(4, 2))(_ => None))
  }

  test("events that have no epoch, or count other epochs than the answers, show nothing") {
    assert(!at(2, 1).holdsIn(0, at(4, 2))(epochs(-1, -1, -1, -1)))
    assert(!at(2, 1).holdsIn(0, at(4, 2))(epochs(1, 1, 1, 1)))
  }
}
