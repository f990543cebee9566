package org.apache.spark.sql.eventhubs.lostanswer

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import org.apache.spark.sql.SQLContext
import org.apache.spark.sql.eventhubs.exactlyonce.ExactlyOnceFixture
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import testkit.TestSuite

/** What a lost answer costs in a hub with many partitions: the service allows few questions in a second. */
class ManyPartitionsInDoubtSuite extends TestSuite with ExactlyOnceFixture {

  private implicit def sqlContext: SQLContext = spark.sqlContext

  private val partitions = 300

  /** Newer ends for the records of later batches, which are asked for in the background. */
  private val oneRound = partitions + 1

  /** Runs two batches, of which the second loses an answer. Returns the questions of the second. */
  private def questionsOfLostAnswer(more: (String, String)*): Long = {
    import spark.implicits._
    val (hub, source) = (newHub(partitions), MemoryStream[Int])
    val frame = source.toDF().selectExpr("cast(value as string) as body")
    val query = start(frame, hub, newFolder(), exactlyOnce ++ more)
    try {
      source.addData(0 until 1000)
      query.processAllAvailable()
      val before = localHub.amqp.counters.managementCalls
      val scope = FaultScope(hub = Some(hub))
      localHub.faults.inject(Fault(FaultAction.DropConnection, Occasion.Stored, scope, skip = 5, count = Some(1)))
      source.addData(1000 until 2000)
      query.processAllAvailable()
      val stored = localHub.namespace.find(hub).get.partitions.map(_.bounds.lastSequenceNumber + 1).sum
      assert(stored == 2000)
      assert(localHub.faults.active.isEmpty, "an answer was lost")
      localHub.amqp.counters.managementCalls - before
    } finally query.stop()
  }

  test("a lost answer asks the service about no partition, although the batch may be in any") {
    val questions = questionsOfLostAnswer()
    info(s"$questions questions")
    assert(questions <= oneRound + 20)
  }

  test("the same where the batch can be in one partition only") {
    val questions = questionsOfLostAnswer("eventhubs.partitionId" -> "7")
    info(s"$questions questions")
    assert(questions <= oneRound + 20)
  }
}
