package org.apache.spark.sql.eventhubs.hubs

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.eventhubs.NameAndPartition
import org.apache.spark.sql.eventhubs.{EventHubsSourceOffset, TestSpark}
import testkit.TestSuite

/** Random lists of hubs, limits, restarts and replays: each event of each hub is planned once, in order. */
class StreamPlannerStressSuite extends TestSuite with TestSpark {

  private val names = Seq("a", "b", "c", "d")

  for (seed <- 1 to 12) test(s"each event is planned once, in order, while the list of hubs changes (seed $seed)") {
    val random = new Random(seed)
    val f = new StreamPlannerFixture(spark, "a", "eventhubs.startingPosition" -> "earliest")
    val sizes = mutable.Map.empty[String, Seq[Long]]
    val planned = mutable.Map.empty[NameAndPartition, Long].withDefaultValue(0L)

    def append(hub: String): Unit = {
      // A hub that grows by a partition now and then, and one that gets far more events than the others.
      val before = sizes.getOrElse(hub, Seq.fill(1 + random.nextInt(3))(0L))
      val grown = if (random.nextInt(10) == 0) before :+ 0L else before
      val most = if (hub == "b") 5000 else 20
      sizes(hub) = grown.map(_ + random.nextInt(most))
      f.retain(hub, sizes(hub).map(0L -> _): _*)
    }

    // Hub a is always there: a checkpoint of none of the hubs is refused.
    def someHubs(): String = random.shuffle("a" +: names.tail.filter(_ => random.nextBoolean())).mkString(",")

    def plan(start: EventHubsSourceOffset): EventHubsSourceOffset = {
      val end = f.planner.latestOffset(start, Some(1L + random.nextInt(300)))
      val ranges = f.ranges(start, end)
      if (random.nextInt(4) == 0) {
        f.restart(someHubs())
        assert(f.ranges(start, end) == ranges, s"the replay from ${start.json} to ${end.json}")
      }
      ranges.foreach { case (partition, (from, until)) =>
        assert(from == planned(partition), s"$partition in the batch from ${start.json} to ${end.json}")
        planned(partition) = until
      }
      end
    }

    names.foreach(append)
    var offset = f.planner.initialOffset
    for (_ <- 1 to 60) {
      if (random.nextInt(3) == 0) append(names(random.nextInt(names.size)))
      if (random.nextInt(6) == 0) f.restart(someHubs())
      offset = plan(offset)
    }
    f.restart(names.mkString(","))
    offset = f.planner.latestOffset(offset, None)
    assert(offset.sequenceNumbers == sizes.map { case (hub, ends) => hub -> ends.zipWithIndex.map(_.swap).toMap }.toMap)
  }
}
