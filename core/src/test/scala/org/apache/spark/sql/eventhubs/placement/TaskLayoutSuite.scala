package org.apache.spark.sql.eventhubs.placement

import org.apache.spark.eventhubs.options.PreferredLocationStrategy
import org.apache.spark.eventhubs.rdd.{EventHubsRDDPartition, OffsetRange}
import org.apache.spark.eventhubs.{NameAndPartition, TestSettings}
import testkit.TestSuite

class TaskLayoutSuite extends TestSuite {

  private val executors = IndexedSeq("a", "b", "c", "d")

  private def layout(options: (String, String)*): TaskLayout = new TaskLayout(
    TestSettings.stream(options: _*),
    new ExecutorLocations(PreferredLocationStrategy.Stable, () => executors, () => 1)
  )

  private def partitions(hub: String, count: Int): Seq[NameAndPartition] =
    (0 until count).map(NameAndPartition(hub, _))

  /** @param events of each partition */
  private def ranges(partitions: Seq[NameAndPartition], events: Long = 10): Seq[OffsetRange] =
    partitions.map(OffsetRange(_, 5, 5 + events))

  private def where(tasks: Seq[EventHubsRDDPartition]): Map[NameAndPartition, Option[String]] =
    tasks.flatMap(_.ranges).map(range => range.nameAndPartition -> range.preferredLocation).toMap

  private def perExecutor(tasks: Seq[EventHubsRDDPartition]): Set[Int] =
    tasks.groupBy(_.ranges.head.preferredLocation).values.map(_.size).toSet

  test("partitions of hubs that the batch does not read take no executor's place") {
    val gone = (1 to 8).flatMap(day => partitions(s"orders-$day", 4))
    val live = partitions("orders-9", 4)
    assert(perExecutor(layout().tasks(gone ++ live, ranges(live))) == Set(1))
  }

  test("a partition without events has its place, so it does not move the others when its events come") {
    val all = partitions("telemetry", 16)
    val (idle, busy) = ranges(all).splitAt(5)
    val before = where(layout().tasks(all, idle.map(range => range.copy(untilSeqNo = range.fromSeqNo)) ++ busy))
    val after = where(layout().tasks(all, idle ++ busy))
    assert(before.keySet == busy.map(_.nameAndPartition).toSet, "an empty range has no task")
    assert(before.forall { case (partition, executor) => after(partition) == executor })
    assert(perExecutor(layout().tasks(all, ranges(all))) == Set(4))
  }

  test("partitions share tasks by their hubs' partitions alone, and a task runs where its first partition does") {
    val all = partitions("telemetry", 8)
    val shared = layout("eventhubs.maxPartitions" -> "4")
    val tasks = shared.tasks(all, ranges(all))
    assert(tasks.map(_.ranges.map(_.partitionId)) == Seq(Seq(0, 1), Seq(2, 3), Seq(4, 5), Seq(6, 7)))
    assert(tasks.forall(task => task.ranges.map(_.preferredLocation).distinct.size == 1))
    assert(perExecutor(tasks) == Set(1))
    val half = shared.tasks(all, ranges(all.drop(3)))
    assert(half.map(_.ranges.map(_.partitionId)) == Seq(Seq(3), Seq(4, 5), Seq(6, 7)))
  }

  test("only the first part of a split range continues an open link, and nothing is requested ahead") {
    val both = partitions("telemetry", 2)
    val tasks = layout("minPartitions" -> "8").tasks(both, ranges(both, 80))
    assert(tasks.size == 8 && tasks.forall(_.next.isEmpty))
    tasks.map(_.ranges.head).groupBy(_.partitionId).values.foreach { parts =>
      assert(parts.map(_.preferredLocation.isDefined) == Seq(true, false, false, false))
    }
  }

  test("each task names the range that its executor reads next") {
    val all = partitions("telemetry", 8)
    val tasks = layout().tasks(all, ranges(all))
    tasks.groupBy(_.ranges.head.preferredLocation).values.foreach { inOrder =>
      assert(inOrder.map(_.next.map(_.nameAndPartition)) ==
        inOrder.drop(1).map(task => Some(task.ranges.head.nameAndPartition)) :+ None)
    }
  }

  test("the ranges of a Real-Time batch are placed as those of a micro-batch") {
    val all = partitions("telemetry", 8)
    val open = all.map(OffsetRange(_, 5, Long.MaxValue))
    val placed = layout().placed(open).map(range => range.nameAndPartition -> range.preferredLocation).toMap
    assert(placed == where(layout().tasks(all, ranges(all))))
  }
}
