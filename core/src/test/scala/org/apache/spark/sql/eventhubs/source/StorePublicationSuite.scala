package org.apache.spark.sql.eventhubs.source

import java.time.Instant

import org.apache.spark.eventhubs.NameAndPartition
import org.apache.spark.eventhubs.checkpoints.Checkpoint
import org.apache.spark.eventhubs.connection.PartitionBounds
import org.apache.spark.eventhubs.rdd.{LastEvent, RecentEvents}
import testkit.TestSuite

class StorePublicationSuite extends TestSuite {

  private val partition = NameAndPartition("telemetry", 0)
  private def read(seqNos: Long*) = seqNos.foldLeft(RecentEvents.Empty) { (all, number) =>
    all + LastEvent(partition, number, s"o$number")
  }
  private def retained(earliest: Long, latest: Long, lastOffset: String) =
    Some(PartitionBounds(earliest, latest, lastOffset, Instant.EPOCH))

  private def checkpoint(until: Long, recent: RecentEvents, bounds: Option[PartitionBounds] = None) =
    StorePublication.checkpoint(partition, until, recent, bounds)

  test("the checkpoint is the last event that was read, with its offset") {
    assert(checkpoint(10, read(4, 9)).contains(Checkpoint(9, "o9")))
  }

  test("the offset is not known after a restart, until a task reads or the partition ends there") {
    assert(checkpoint(10, RecentEvents.Empty).isEmpty)
    assert(checkpoint(10, RecentEvents.Empty, retained(0, 20, "o19")).isEmpty)
    assert(checkpoint(10, RecentEvents.Empty, retained(0, 10, "o9")).contains(Checkpoint(9, "o9")))
  }

  test("an end that the driver raised has no known offset") {
    assert(checkpoint(10, RecentEvents.Empty, retained(0, 10, "")).isEmpty)
    assert(checkpoint(10, RecentEvents.Empty, retained(0, 8, "o7").map(_.upTo(10))).isEmpty)
  }

  test("the offset in the answer of a geo-replicated hub is not one at which a reader may start") {
    assert(checkpoint(10, RecentEvents.Empty, retained(0, 10, "528").map(_.copy(epoch = Some(1)))).isEmpty)
  }

  test("where the last events of a range do not exist, the checkpoint is an earlier one, never a wrong one") {
    assert(checkpoint(10, read(7)).contains(Checkpoint(7, "o7")))
    assert(checkpoint(10, read(7), retained(0, 10, "o9")).contains(Checkpoint(9, "o9")))
  }

  test("an empty partition has no checkpoint") {
    assert(checkpoint(0, RecentEvents.Empty, retained(0, 0, "-1")).isEmpty)
    assert(checkpoint(10, RecentEvents.Empty, retained(10, 10, "o9")).isEmpty)
  }
}
