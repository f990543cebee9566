package org.apache.spark.sql.eventhubs.source

import java.nio.file.Path
import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.functions.{col, udf}
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import testkit.TestSuite

/** Collects the rows of a query in this JVM. */
object PassedRows {
  val all = new ConcurrentLinkedQueue[(String, String)]

  def of(query: String): Seq[String] = all.asScala.toSeq.collect { case (`query`, body) => body }
}

class V1AsyncProgressSuite extends AsyncProgressBehaviour(ApiVersion.V1)
class V2AsyncProgressSuite extends AsyncProgressBehaviour(ApiVersion.V2)

/**
 * Spark's asynchronous progress tracking writes offsets from time to time, in parallel with the batches, for certain
 * sinks. After a restart the query continues at the last written offset: at least once.
 */
abstract class AsyncProgressBehaviour(override protected val api: ApiVersion) extends TestSuite with StreamFixture {

  private def startAsync(name: String, tag: String, checkpoint: Path): StreamingQuery = {
    val passed = udf { (body: String) => PassedRows.all.add(tag -> body); body }.asNondeterministic()
    stream(name, earliest, "maxEventsPerTrigger" -> "50")
      .select(passed(col("body").cast("string")).as("body"))
      .writeStream
      .format("noop")
      .option("checkpointLocation", checkpoint.toUri.toString)
      .option("asyncProgressTrackingEnabled", "true")
      .option("asyncProgressTrackingCheckpointIntervalMs", "200")
      .trigger(Trigger.ProcessingTime(0))
      .start()
  }

  private def names(from: Int, until: Int): Set[String] =
    (0 until 2).flatMap(partition => (from until until).map(n => s"p$partition-$n")).toSet

  private def awaitPassed(tag: String, expected: Set[String]): Unit =
    eventually(s"not all of ${expected.size} events passed")(expected.subsetOf(PassedRows.of(tag).toSet))

  test("every event arrives once while the query runs, and none is missing after a restart") {
    val name = newHub(2)
    val checkpoint = newFolder()
    val (before, after) = (s"$api-async-1", s"$api-async-2")
    send(name, 300, 300)
    val first = startAsync(name, before, checkpoint)
    try {
      awaitPassed(before, names(0, 300))
      send(name, 20, 20)
      awaitPassed(before, names(0, 320))
    } finally first.stop()
    assert(PassedRows.of(before).sorted == names(0, 320).toSeq.sorted)
    send(name, 10, 10)
    val second = startAsync(name, after, checkpoint)
    try awaitPassed(after, names(320, 330))
    finally second.stop()
    val again = PassedRows.of(after)
    assert(again.distinct.size == again.size)
    assert((PassedRows.of(before) ++ again).toSet == names(0, 330))
    assert(again.size < 330 * 2, "the query started again instead of continuing")
  }
}
