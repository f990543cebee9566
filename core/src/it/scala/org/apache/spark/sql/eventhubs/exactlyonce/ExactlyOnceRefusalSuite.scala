package org.apache.spark.sql.eventhubs.exactlyonce

import java.nio.file.Path

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import localhub.auth.{Claim, SharedAccessPolicy}
import localhub.{HubConfig, LocalHub, LocalHubConfig}
import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.options.WriteSettings
import org.apache.spark.sql.eventhubs.sink.{CheckedColumns, WriteIdentity}
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQueryException
import org.apache.spark.sql.{DataFrame, SQLContext}
import testkit.TestSuite

/** Where exactly-once is impossible, the query fails and sends nothing. */
class ExactlyOnceRefusalSuite extends TestSuite with StopAndStart {

  private implicit def sqlContext: SQLContext = spark.sqlContext

  private val rows = 0 until 3000

  private def source(): MemoryStream[Int] = {
    import spark.implicits._
    val source = MemoryStream[Int]
    source.addData(rows)
    source
  }

  private def startWith(hub: String, name: Option[String], more: (String, String)*): Unit = {
    val writer = fragile(source().toDF()).writeStream.format("eventhubs").options(options(hub, exactlyOnce ++ more: _*))
    val query = name.fold(writer)(writer.queryName).start()
    try query.processAllAvailable()
    finally query.stop()
  }

  private def refusal(start: => Unit): String = condition(intercept[Exception](start))

  test("without a checkpoint location") {
    val hub = newHub()
    assert(refusal(startWith(hub, None)) == "EVENTHUBS_EXACTLY_ONCE.NO_CHECKPOINT")
    assert(arrived(hub).isEmpty)
  }

  test("with a folder for all checkpoints, a query needs a name, and then is found again") {
    val hub = newHub()
    spark.conf.set("spark.sql.streaming.checkpointLocation", newFolder().toString)
    try {
      assert(refusal(startWith(hub, None)) == "EVENTHUBS_EXACTLY_ONCE.NO_CHECKPOINT")
      startWith(hub, Some("alerts"))
      assertSame(arrived(hub), rows.map(_.toString))
    } finally spark.conf.unset("spark.sql.streaming.checkpointLocation")
  }

  test("with a key that may send but not listen") {
    val send = SharedAccessPolicy("send", "c2VuZCBvbmx5", Set(Claim.Send))
    val guarded = LocalHub.start(LocalHubConfig(hubs = Seq(HubConfig("alerts", 1)), policies = Seq(send)))
    try
      assert(refusal(startWith(
        "alerts",
        None,
        "checkpointLocation" -> newFolder().toString,
        "eventhubs.connectionString" -> guarded.connectionString("alerts")
      )) == "EVENTHUBS_AUTHENTICATION")
    finally guarded.close()
  }

  test("with speculation, which runs two attempts of a task at the same time") {
    val hub = newHub()
    spark.sparkContext.conf.set("spark.speculation", "true")
    try
      assert(refusal(startWith(hub, None, "checkpointLocation" -> newFolder().toString)) ==
        "EVENTHUBS_EXACTLY_ONCE.SPECULATION")
    finally spark.sparkContext.conf.remove("spark.speculation")
    assert(arrived(hub).isEmpty)
  }

  test("with asynchronous progress, which may divide the rows into other batches") {
    val hub = newHub()
    val checkpoint = "checkpointLocation" -> newFolder().toString
    val async = "asyncProgressTrackingEnabled" -> "true"
    val anySink = "_asyncProgressTrackingOverrideSinkSupportCheck" -> "true"
    assert(refusal(startWith(hub, None, checkpoint, async, anySink)) == "EVENTHUBS_EXACTLY_ONCE.ASYNC_PROGRESS")
    assert(arrived(hub).isEmpty)
  }

  /** A stream that has sent a part of its first batch. */
  private def interruptedStream(hub: String): (MemoryStream[Int], Path) = {
    val (rows, checkpoint) = (source(), newFolder())
    Breaking.when(_ == 2900)
    failure(fragile(rows.toDF()), hub, checkpoint)
    Breaking.stop()
    assert(arrived(hub).nonEmpty)
    (rows, checkpoint)
  }

  test("when retention has removed events since the batch was started") {
    val hub = newHub(1)
    val (rows, checkpoint) = interruptedStream(hub)
    localHub.expire(hub, "0", 10)
    val before = arrived(hub)
    val failed = failure(fragile(rows.toDF()), hub, checkpoint)
    assert(condition(failed) == "EVENTHUBS_EXACTLY_ONCE.OUTCOME_UNKNOWN")
    assert(failed.getMessage.contains("retention has removed the events before 10"))
    assert(arrived(hub) == before)
    // The solution that the error names.
    run(fragile(rows.toDF()), hub, checkpoint, Nil)
    rows.addData(3000 until 3010)
    run(fragile(rows.toDF()), hub, checkpoint)
    assert(arrived(hub).toSet.size == 3010)
    assert(arrived(hub).count(_.toInt >= 3000) == 10)
  }

  test("when the hub was recreated since the batch was started") {
    val hub = newHub(1)
    val (rows, checkpoint) = interruptedStream(hub)
    recreate(hub)
    assert(condition(failure(fragile(rows.toDF()), hub, checkpoint)) == "EVENTHUBS_EXACTLY_ONCE.OUTCOME_UNKNOWN")
    assert(arrived(hub).isEmpty)
  }

  test("when a promoted region lacks an event from before the batch: events of the batch may have its number") {
    val hub = newHub(1)
    localHub.deleteHub(hub)
    localHub.createHub(HubConfig(hub, 1, geoReplication = true))
    write(hub, "old")
    val (rows, checkpoint) = interruptedStream(hub)
    localHub.promote(hub, unreplicated = stored(hub))
    Seq("new", "newer").foreach(write(hub, _))
    val failed = failure(fragile(rows.toDF()), hub, checkpoint)
    assert(condition(failed) == "EVENTHUBS_EXACTLY_ONCE.OUTCOME_UNKNOWN")
    assert(failed.getMessage.contains("had epoch 1 and has epoch 2") && arrived(hub) == Seq("new", "newer"))
  }

  private def write(hub: String, body: String): Unit =
    spark.range(1).selectExpr(s"'$body' as body").write.format("eventhubs").options(options(hub)).save()

  test("when the batch was started in another hub") {
    val (hub, other) = (newHub(1), newHub(1))
    val (rows, checkpoint) = interruptedStream(hub)
    assert(condition(failure(fragile(rows.toDF()), other, checkpoint)) == "EVENTHUBS_EXACTLY_ONCE.OUTCOME_UNKNOWN")
    assert(arrived(other).isEmpty)
  }

  private def recreate(hub: String): Unit = {
    val made = localHub.namespace.find(hub).get.createdAt.toEpochMilli
    while (System.currentTimeMillis() <= made) Thread.onSpinWait()
    localHub.recreateHub(hub)
    ()
  }

  test("when retention removes events while an answer is missing") {
    val hub = newHub(1)
    val failed = failureWithoutAnswer(hub)(localHub.expire(hub, "0", 5))
    assert(condition(failed) == "EVENTHUBS_EXACTLY_ONCE.OUTCOME_UNKNOWN")
  }

  test("when a promoted region lacks an event from before the batch, and an answer is missing") {
    val hub = newHub(1)
    localHub.deleteHub(hub)
    localHub.createHub(HubConfig(hub, 1, geoReplication = true))
    // A partition has the epoch of its last event.
    write(hub, "old")
    val failed = failureWithoutAnswer(hub) {
      localHub.promote(hub, unreplicated = stored(hub))
      Seq("new", "newer").foreach(write(hub, _))
    }
    assert(condition(failed) == "EVENTHUBS_EXACTLY_ONCE.OUTCOME_UNKNOWN")
    assert(failed.getMessage.contains("a secondary region was promoted"))
  }

  /** How a query fails when its hub has lost the answer to a batch, and `change` happens before the read-back. */
  private def failureWithoutAnswer(hub: String)(change: => Unit): StreamingQueryException = {
    localHub.faults.inject(
      Fault(FaultAction.DropConnection, Occasion.Stored, FaultScope(hub = Some(hub)), skip = 5, count = Some(1))
    )
    try {
      val query = start(fragile(source().toDF()), hub, newFolder(), exactlyOnce :+ ("eventhubs.settleDelay" -> "3s"))
      try {
        eventually("no answer is missing")(isIn("ReadBackDelivery", "settle"))
        change
        intercept[StreamingQueryException](query.processAllAvailable())
      } finally query.stop()
    } finally localHub.faults.clear()
  }

  test("when the hub is recreated after the read-back of a repeated batch: nothing of it gets into the new hub") {
    val hub = newHub(1)
    val settings = WriteSettings.parse(options(hub, exactlyOnce: _*))
    val readBack = ReadBack.settings(options(hub, exactlyOnce: _*), settings.connection.hub)
    val (ends, _) = ReadBack.reportedPositions(readBack, None)
    recreate(hub)
    val query = spark.range(10).selectExpr("cast(id as string) as body").queryExecution
    val task = ExactlyOnceTask(
      WriteIdentity.ofBatchWrite("recreated", 1),
      settings,
      readBack,
      new CheckedColumns(settings).of(query.analyzed.schema),
      WriteRecord(Seq(ends))
    )
    val failed = intercept[Exception] {
      query.toRdd.mapPartitions(rows => Iterator.single(task.run(rows, Some(Iterator.empty)))).collect()
    }
    assert(failed.getMessage.contains("EVENTHUBS_EXACTLY_ONCE.OUTCOME_UNKNOWN"))
    assert(arrived(hub).isEmpty)
  }

  test("when the query produces other rows than before") {
    val hub = newHub(1)
    val (rows, checkpoint) = interruptedStream(hub)
    val before = arrived(hub)
    val changed = fragile(rows.toDF()).select(concat(col("body"), lit("!")).as("body"))
    assert(condition(failure(changed, hub, checkpoint)) == "EVENTHUBS_EXACTLY_ONCE.ROWS_CHANGED")
    assert(arrived(hub) == before)
  }

  test("when all events of a task's first attempt are gone before its next attempt reads them back") {
    val (hub, rows) = (newHub(1), source())
    Breaking.when(_ == 2900 && TaskContext.get().attemptNumber() == 0)
    try {
      val query = start(fragile(rows.toDF()), hub, newFolder(), exactlyOnce :+ ("eventhubs.settleDelay" -> "15s"))
      try {
        eventually("no attempt waits")(isIn("CancellableWait$", "apply"))
        val last = localHub.namespace.find(hub).get.partitions.head.bounds.lastSequenceNumber
        assert(last > 0)
        localHub.expire(hub, "0", last + 1)
        val failed = intercept[StreamingQueryException](query.processAllAvailable())
        assert(condition(failed) == "EVENTHUBS_EXACTLY_ONCE.OUTCOME_UNKNOWN")
        assert(arrived(hub).isEmpty)
      } finally query.stop()
    } finally Breaking.stop()
  }

  test("when the next attempt of a task has other rows: it sends nothing") {
    val hub = newHub(1)
    val ofAttempt = udf((body: String) => s"$body of attempt ${TaskContext.get().attemptNumber()}")
    Breaking.when(_ == 2900 && TaskContext.get().attemptNumber() == 0)
    val failed =
      try failure(fragile(source().toDF()).select(ofAttempt(col("body")).as("body")), hub, newFolder())
      finally Breaking.stop()
    assert(condition(failed) == "EVENTHUBS_EXACTLY_ONCE.ROWS_CHANGED")
    val sent = arrived(hub).groupBy(_.takeRight(1)).map { case (attempt, events) => attempt -> events.length }
    assert(sent.contains("0") && !sent.contains("1"), sent)
  }

  private def equal(frame: DataFrame): DataFrame =
    fragile(frame).select(when(length(col("body")) > 0, "same").otherwise("other").as("body"))

  test("when the repeated batch has fewer equal rows than were sent") {
    val (hub, rows, checkpoint) = (newHub(1), source(), newFolder())
    Breaking.when(_ == 2900)
    failure(equal(rows.toDF()), hub, checkpoint)
    Breaking.stop()
    val before = arrived(hub)
    assert(before.length > 5)
    val failed = failure(equal(rows.toDF().where("value < 5")), hub, checkpoint)
    assert(condition(failed) == "EVENTHUBS_EXACTLY_ONCE.ROWS_CHANGED" && arrived(hub) == before)
    run(equal(rows.toDF()), hub, checkpoint)
    assert(arrived(hub).length == 3000)
  }

  test("when the next attempt of a task has fewer equal rows than were sent") {
    val hub = newHub(1)
    val isKept = udf((value: Int) => TaskContext.get().attemptNumber() == 0 || value < 5)
    Breaking.when(_ == 2900)
    val failed =
      try failure(equal(source().toDF().where(isKept(col("value")))), hub, newFolder())
      finally Breaking.stop()
    assert(condition(failed) == "EVENTHUBS_EXACTLY_ONCE.ROWS_CHANGED")
  }
}
