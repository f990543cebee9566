package org.apache.spark.sql.eventhubs.exactlyonce

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import localhub.auth.{Claim, SharedAccessPolicy}
import localhub.{HubConfig, LocalHub, LocalHubConfig}
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.{DataFrame, SQLContext}
import testkit.TestSuite

/** Exactly-once writes whose rows name their hubs: each event once in each hub, or an error that names the hub. */
class ExactlyOnceHubByRowSuite extends TestSuite with ExactlyOnceFixture {

  private implicit def sqlContext: SQLContext = spark.sqlContext

  private val rows = 0 until 4000

  private def ofRows(more: Seq[(String, String)]): Seq[(String, String)] =
    more :+ ("eventhubs.connectionString" -> localHub.connectionString)

  /** Every row goes to both hubs: equal rows of two hubs must not be taken for each other. */
  private def toBoth(frame: DataFrame, hubs: String*): DataFrame =
    fragile(frame).selectExpr("body", s"explode(array(${hubs.map(name => s"'$name'").mkString(", ")})) as eventHub")

  private def source(): MemoryStream[Int] = {
    import spark.implicits._
    val source = MemoryStream[Int]
    source.addData(rows)
    source
  }

  Seq("false", "true").foreach { idempotent =>
    test(s"one hub throttles and one loses answers: each event once in each; idempotent producers $idempotent") {
      val (slow, lossy) = (newHub(), newHub())
      val more =
        ofRows(exactlyOnce ++ Seq("eventhubs.settleDelay" -> "1s", "eventhubs.idempotentProducer" -> idempotent))
      def in(hub: String) = FaultScope(hub = Some(hub))
      localHub.faults.inject(Fault(FaultAction.Throttle, Occasion.Send, in(slow), skip = 5, count = Some(1)))
      localHub.faults.inject(
        Fault(FaultAction.DropConnection, Occasion.Stored, in(lossy), probability = 0.1, skip = 10, count = Some(3))
      )
      try {
        val metrics = run(toBoth(source().toDF(), slow, lossy), slow, newFolder(), more)
        assert(metrics("eventsSent").toInt == 2 * rows.length && metrics("throttledSends").toInt > 0)
        assert(localHub.faults.active.forall(_.hits > 0))
      } finally localHub.faults.clear()
      Seq(slow, lossy).foreach(hub => assertSame(arrived(hub), rows.map(_.toString)))
    }
  }

  test("a batch whose commit was lost is found in each hub, and the next batch follows") {
    val (one, two, checkpoint) = (newHub(1), newHub(3), newFolder())
    val input = source()
    val frame = toBoth(input.toDF(), one, two)
    run(frame, one, checkpoint, ofRows(exactlyOnce))
    forgetCommit(checkpoint, 0)
    run(frame, one, checkpoint, ofRows(exactlyOnce))
    input.addData(4000 until 4100)
    run(frame, one, checkpoint, ofRows(exactlyOnce))
    Seq(one, two).foreach(hub => assertSame(arrived(hub), (0 until 4100).map(_.toString)))
  }

  test("a hub that does not exist is named before anything is sent; once it exists, each event arrives once") {
    val (known, checkpoint) = (newHub(), newFolder())
    val frame = toBoth(source().toDF(), known, "appears-late")
    val failed = failure(frame, known, checkpoint, ofRows(exactlyOnce))
    assert(condition(failed) == "EVENTHUBS_NOT_FOUND" && failed.getMessage.contains("'appears-late'"))
    assert(arrived(known).isEmpty)
    localHub.createHub("appears-late", 2)
    run(frame, known, checkpoint, ofRows(exactlyOnce))
    Seq(known, "appears-late").foreach(hub => assertSame(arrived(hub), rows.map(_.toString)))
  }

  test("one of two hubs is recreated between the attempts: the error names it, and no event is sent twice") {
    val (kept, recreated, checkpoint) = (newHub(), newHub(), newFolder())
    val frame = toBoth(source().toDF(), kept, recreated)
    run(frame, kept, checkpoint, ofRows(exactlyOnce))
    forgetCommit(checkpoint, 0)
    localHub.recreateHub(recreated)
    val failed = failure(frame, kept, checkpoint, ofRows(exactlyOnce))
    assert(condition(failed) == "EVENTHUBS_EXACTLY_ONCE.OUTCOME_UNKNOWN")
    assert(failed.getMessage.contains(s"'$recreated'") && failed.getMessage.contains("was recreated"))
    assertSame(arrived(kept), rows.map(_.toString))
    assert(arrived(recreated).isEmpty)
  }

  test("one of two hubs is deleted in the middle of a batch: the query stops with its name, and nothing is lost") {
    val (kept, deleted, checkpoint) = (newHub(), newHub(), newFolder())
    val frame = toBoth(source().toDF(), kept, deleted)
    val more = ofRows(exactlyOnce ++ Seq("eventhubs.sendTimeout" -> "2s", "eventhubs.operationTimeout" -> "8s"))
    localHub.faults.inject(
      Fault(FaultAction.Detach("amqp:not-found", "deleted"), Occasion.Send, FaultScope(hub = Some(deleted)), skip = 20)
    )
    val failed =
      try failure(frame, kept, checkpoint, more)
      finally localHub.faults.clear()
    assert(failed.getMessage.contains(deleted))
    run(frame, kept, checkpoint, more)
    Seq(kept, deleted).foreach(hub => assertSame(arrived(hub), rows.map(_.toString)))
  }

  test("a repeated batch that names a hub which its record lacks is refused before anything is sent") {
    val (first, second, checkpoint) = (newHub(), newHub(), newFolder())
    val input = source()
    run(toBoth(input.toDF(), first), first, checkpoint, ofRows(exactlyOnce))
    forgetCommit(checkpoint, 0)
    val failed = failure(toBoth(input.toDF(), first, second), first, checkpoint, ofRows(exactlyOnce))
    assert(condition(failed) == "EVENTHUBS_EXACTLY_ONCE.OUTCOME_UNKNOWN")
    assert(failed.getMessage.contains(s"'$second'"))
    assertSame(arrived(first), rows.map(_.toString))
    assert(arrived(second).isEmpty)
  }

  test("a batch that a query to one hub has started is finished by one whose rows name that hub") {
    val (hub, checkpoint) = (newHub(), newFolder())
    val input = source()
    run(fragile(input.toDF()), hub, checkpoint)
    forgetCommit(checkpoint, 0)
    run(toBoth(input.toDF(), hub), hub, checkpoint, ofRows(exactlyOnce))
    assertSame(arrived(hub), rows.map(_.toString))
  }

  test("a batch write that fails before it sends, and is then repeated twice, stores each row once in each hub") {
    val (one, two, log) = (newHub(), newHub(), newFolder().toString)
    val numbers = spark.range(rows.length.toLong).selectExpr("cast(id as int) as value")
    def save(): Unit =
      toBoth(numbers, one, two).write.format("eventhubs").options(options(one, ofRows(exactlyOnce): _*))
        .option(
          "eventhubs.writeId",
          "daily"
        ).option("eventhubs.writeVersion", 1).option("eventhubs.writeLogLocation", log)
        .save()
    Breaking.when(_ == 3900)
    intercept[Exception](save())
    Breaking.stop()
    save()
    save()
    Seq(one, two).foreach(hub => assertSame(arrived(hub), rows.map(_.toString)))
  }

  test("a key that may not read one of the hubs is refused before anything is sent") {
    val send = SharedAccessPolicy("send", "c2VuZCBvbmx5", Set(Claim.Send))
    val guarded = LocalHub.start(LocalHubConfig(hubs = Seq(HubConfig("alerts", 1)), policies = Seq(send)))
    try {
      val more = exactlyOnce :+ ("eventhubs.connectionString" -> guarded.connectionString)
      val failed = failure(toBoth(source().toDF(), "alerts"), "alerts", newFolder(), more)
      assert(condition(failed) == "EVENTHUBS_AUTHENTICATION" && failed.getMessage.contains("alerts"))
      assert(guarded.namespace.find("alerts").get.partitions.forall(_.bounds.lastSequenceNumber == -1))
    } finally guarded.close()
  }
}
