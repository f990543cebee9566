package org.apache.spark.sql.eventhubs.exactlyonce

import java.io.File

import org.scalatest.time.{Minutes, Span}

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import org.apache.spark.sql.eventhubs.cluster.ClusterFixture
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, SQLContext}
import testkit.TestSuite

/**
 * Executors that die in the middle of sending, in a cluster of processes. With `EXECUTOR_KILLS=20` they are also
 * killed from outside while a stream runs.
 */
class ExactlyOnceClusterSuite extends TestSuite with ClusterFixture with StopAndStart {

  /** The tasks of a dead executor prefer it. */
  override protected def settings: Seq[(String, String)] = Seq("spark.locality.wait" -> "1s")

  // `assume` prints its operands, and the environment must not be in a log.
  private val kills = sys.env.get("EXECUTOR_KILLS").map(_.toInt)

  override def timeLimit: Span = Span(5L + kills.getOrElse(0), Minutes)

  private val settling = heldBack :+ ("eventhubs.settleDelay" -> "2s")
  private val perPartition = 2000

  private def filled(): String = {
    awaitExecutors(2)
    val hub = newHub(4)
    (0 until 4).foreach(fill(hub, _, 0, perPartition))
    hub
  }

  private def all(count: Int = perPartition): Seq[String] = (0 until 4).flatMap(names(_, 0, count)).map(padded)

  private def source(hub: String): DataFrame =
    stream(hub, fromStart)
      .select(rpad(col("body").cast("string"), 1000, ".").as("body"), col("partition").as("partitionKey"))

  /** Like kill -9: closes nothing and waits for nothing. */
  private def deadly(frame: DataFrame): DataFrame = {
    val died = newFolder().resolve("died").toString
    val dies = udf { (body: String) =>
      if (body.startsWith("p2-1500.") && new File(died).createNewFile()) Runtime.getRuntime.halt(137)
      body
    }
    frame.withColumn("body", dies(col("body")))
  }

  test("when an executor dies halfway, its tasks run again elsewhere and send the missing events, in order") {
    val (from, to) = (filled(), newHub())
    val metrics = run(deadly(source(from)), to, newFolder(), settling)
    assertSame(arrived(to), all())
    assert(metrics("foundEvents").toInt > 100, "nothing of the dead executor was found")
    written(to).values.flatten.toSeq.groupBy(_.getPartitionKey).foreach { case (key, events) =>
      assert(events.map(_.getBodyAsString) == (0 until perPartition).map(n => padded(s"p$key-$n")))
    }
  }

  test("with at-least-once the same failure duplicates events and loses none") {
    val (from, to) = (filled(), newHub())
    run(deadly(source(from)), to, newFolder(), settling.filterNot(_._1 == "eventhubs.deliveryGuarantee"))
    assert(arrived(to).toSet == all().toSet)
    assert(arrived(to).length > all().length)
  }

  test("when an executor dies with shuffle data, the batch is repeated without a restart, each event once") {
    val (from, to) = (filled(), newHub())
    val metrics = run(deadly(source(from).repartition(4)), to, newFolder(), settling)
    assertSame(arrived(to), all())
    assert(metrics("foundEvents").toInt > 0, "nothing was sent before the executor died")
  }

  test("a stopped query whose task is busy on one executor starts again on the other one, and waits for it") {
    awaitExecutors(2)
    import spark.implicits._
    implicit val sqlContext: SQLContext = spark.sqlContext
    val (hub, held, source) = (newHub(), new HeldRow(newFolder(), row = 25), MemoryStream[Int])
    // One task for each.
    Seq(0 until 50, 100 until 150).foreach(source.addData(_))
    val frame = held.compute(source.toDF()).select(rpad(col("value").cast("string"), 1000, ".").as("body"))
    restartWhileBusy(frame, held, hub, newFolder(), sentBefore = 70, rows = 100, exactlyOnce)(_.stop())
    assertSame(arrived(hub).map(_.takeWhile(_ != '.')), ((0 until 50) ++ (100 until 150)).map(_.toString))
  }

  test("executors that are killed while a stream runs") {
    assume(kills.isDefined, "runs only where EXECUTOR_KILLS says how often")
    val (from, to) = (filled(), newHub())
    // Makes a batch take a while.
    localHub.faults.inject(
      Fault(FaultAction.Delay(java.time.Duration.ofMillis(20)), Occasion.Stored, FaultScope(hub = Some(to)))
    )
    val query = start(source(from), to, newFolder(), settling)
    try {
      (1 to kills.get).foreach { kill =>
        val before = stored(to)
        (0 until 4).foreach(fill(from, _, kill * perPartition, (kill + 1) * perPartition))
        eventually("nothing was written")(stored(to) > before + 200)
        ProcessHandle.of(executorPid()).ifPresent { executor => executor.destroyForcibly(); () }
        query.processAllAvailable()
        awaitExecutors(2)
      }
      query.processAllAvailable()
    } finally {
      localHub.faults.clear()
      query.stop()
    }
    assertSame(arrived(to), all((kills.get + 1) * perPartition))
  }

  /** One of the executors: the workers run in this process, so all its children are executors. */
  private def executorPid(): Long =
    ProcessHandle.current().children().filter(_.info().command().orElse("").endsWith("java"))
      .findAny().map[Long](_.pid()).orElseThrow()
}
