package org.apache.spark.sql.eventhubs.placement

import org.apache.spark.eventhubs.NameAndPartition
import org.apache.spark.eventhubs.rdd.OffsetRange
import testkit.TestSuite

class TaskPackingSuite extends TestSuite {

  private def range(partition: Int, from: Long = 10): OffsetRange =
    OffsetRange(named(partition), from, from + 5)

  private def named(partition: Int) = NameAndPartition("hub", partition)

  /** Partitions of each task. */
  private def packed(max: Int, partitions: Int*): Seq[Seq[Int]] =
    TaskPacking.of(Some(max), partitions.map(named)).pack(partitions.map(range(_))).map(_.map(_.partitionId))

  test("without a limit each range has a task of its own, parts of one partition too") {
    val parts = Seq(range(0), range(1), range(1, 20), range(2))
    assert(TaskPacking.of(None, (0 to 2).map(named)).pack(parts) == parts.map(Seq(_)))
    assert(TaskPacking.Off.pack(Nil).isEmpty)
  }

  /** The next partition of each task. */
  private def next(atATime: Int, tasks: Seq[OffsetRange]*): Seq[Option[Int]] =
    TaskPacking.nextRanges(tasks, atATime).map(_.map(_.partitionId))

  test("an executor reads its tasks in order, so the next one follows as many tasks later as run at a time") {
    val tasks = (0 to 4).map(partition => Seq(range(partition)))
    assert(next(1, tasks: _*) == Seq(Some(1), Some(2), Some(3), Some(4), None))
    assert(next(2, tasks: _*) == Seq(Some(2), Some(3), Some(4), None, None))
    assert(next(2, Seq(range(0), range(1)), Seq(range(2)), Seq(range(3), range(4))) == Seq(Some(3), None, None))
    assert(next(8, tasks: _*).forall(_.isEmpty))
  }

  test("each executor has its own order") {
    def on(executor: String, partition: Int) = Seq(range(partition).copy(preferredLocation = Some(executor)))
    assert(next(1, on("a", 0), on("b", 1), on("b", 2), on("a", 3)) == Seq(Some(3), Some(2), None, None))
  }

  test("no link is opened ahead for parts of one partition, which share the service's limit of five readers") {
    assert(next(1, Seq(range(0)), Seq(range(1)), Seq(range(1, 20)), Seq(range(2))).forall(_.isEmpty))
  }

  test("as many partitions as tasks are allowed stay apart") {
    assert(packed(3, 0, 1, 2) == Seq(Seq(0), Seq(1), Seq(2)))
    assert(packed(8, 0, 1, 2) == Seq(Seq(0), Seq(1), Seq(2)))
  }

  test("neighbouring partitions share tasks, and the tasks' sizes differ by one at most") {
    assert(packed(2, 0, 1, 2, 3) == Seq(Seq(0, 1), Seq(2, 3)))
    assert(packed(1, 0, 1, 2) == Seq(Seq(0, 1, 2)))
    assert(packed(3, 2, 5, 7, 8, 11) == Seq(Seq(2, 5), Seq(7, 8), Seq(11)))
  }

  test("for every number of partitions and tasks each partition is there once, in order") {
    for (count <- 1 to 70; max <- 1 to 70) {
      val tasks = packed(max, 0 until count: _*)
      assert(tasks.flatten == (0 until count))
      assert(tasks.size == math.min(count, max))
      assert(tasks.map(_.size).max - tasks.map(_.size).min <= 1)
    }
  }

  test("which partitions share a task does not depend on which of them have events") {
    val packing = TaskPacking.of(Some(3), (0 until 9).map(named))
    val quiet = Seq(0, 3, 4, 8)
    assert(packing.pack(quiet.map(range(_))).map(_.map(_.partitionId)) == Seq(Seq(0), Seq(3, 4), Seq(8)))
    assert((0 until 9).map(n => packing.firstPartition(named(n))) == Seq(0, 0, 0, 3, 3, 3, 6, 6, 6).map(named))
  }
}
