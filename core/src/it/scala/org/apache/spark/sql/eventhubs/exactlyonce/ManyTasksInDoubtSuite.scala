package org.apache.spark.sql.eventhubs.exactlyonce

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.eventhubs.OwnSession
import testkit.TestSuite

/** Many tasks of a JVM lose their shared connection and read back from the hub at the same moment. */
class ManyTasksInDoubtSuite extends TestSuite with ExactlyOnceFixture with OwnSession {

  private val (tasks, partitions) = (16, 32)

  override protected lazy val spark: SparkSession = {
    stopActiveContext()
    SparkSession
      .builder()
      .master(s"local[$tasks]")
      .config("spark.ui.enabled", "false")
      .config("spark.driver.host", "localhost")
      .config("spark.driver.bindAddress", "127.0.0.1")
      .getOrCreate()
  }

  /** The maximum number of readers of a partition while `use` runs, from polling. */
  private def mostReaders(hub: String)(use: => Unit): Int = {
    @volatile var (isOver, most) = (false, 0)
    val watcher = new Thread(() =>
      while (!isOver) {
        val counts = localHub.amqp.readers.filter(_.hub == hub).groupBy(_.partition).values.map(_.length)
        most = math.max(most, counts.maxOption.getOrElse(0))
      }
    )
    watcher.start()
    try use
    finally {
      isOver = true
      watcher.join()
    }
    most
  }

  test("the tasks share one query of the service, and read each partition one after the other") {
    val hub = newHub(partitions)
    localHub.faults.inject(
      Fault(FaultAction.DropConnection, Occasion.Stored, FaultScope(hub = Some(hub)), skip = 100, count = Some(1))
    )
    val before = localHub.amqp.counters.managementCalls
    val most = mostReaders(hub) {
      spark.range(0, 32000, 1, tasks).selectExpr("cast(id as string) as body").write.format("eventhubs")
        .options(options(hub, exactlyOnce: _*))
        // By then, the last write of the closed connection has arrived.
        .option("eventhubs.settleDelay", "1s")
        .option("eventhubs.writeId", "many")
        .option("eventhubs.writeVersion", "1")
        .option("eventhubs.writeLogLocation", newFolder().toString)
        .save()
    }
    val calls = localHub.amqp.counters.managementCalls - before
    assertSame(arrived(hub), (0 until 32000).map(_.toString))
    // Separate queries of all tasks would be more than 500, plus those of the driver.
    assert(calls < 400)
    assert(most <= 3, "one that reads, and some whose link is being closed")
  }
}
