package benchmarks

import java.nio.file.{Files, Path}

import benchmarks.harness.Workload
import benchmarks.server.{DelayProxy, HubProcess, HubTrust, SampleEvents}
import benchmarks.worker.SparkWork

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}

/**
 * Counts the round trips that a query pays one after the other: it takes that much longer through a proxy that delays
 * each direction, divided by the delay. With a long delay the result does not depend on the speed of the machine, nor
 * on what else runs there.
 *
 * The hub has 4 partitions and is used over TLS on `local[2]`. The first rows are queries of one event per partition.
 * The last ones read 40,000 events of 1 KB per partition.
 *
 * Arguments: the round trip in milliseconds, events of each partition, bytes of a body, and a name under which the
 * result is added to benchmarks/results/round-trips.json; `-` is the default: 500, 40000, 1024, not added.
 */
object RoundTrips {

  private val Partitions = 4

  def main(args: Array[String]): Unit = {
    val words = Arguments(args)
    val (roundTrip, perPartition, bodyBytes) = (words.int(0, 500), words.int(1, 40000), words.int(2, 1024))
    val events = perPartition.toLong * Partitions
    val large = Workload(bodyBytes, Partitions, events, eventsPerBatch = events / 4)
    val hub = new HubProcess(tls = true, heapGigabytes = 1)
    try {
      HubTrust(hub)
      val near = new DelayProxy(hub.tlsPort, delayMillis = 0)
      val far = new DelayProxy(hub.tlsPort, roundTrip / 2.0)
      val spark = SparkWork.session()
      try {
        val queries = new RoundTrips(hub, spark, large)
        def millis(proxy: DelayProxy): Seq[(String, Double)] = queries.millis(hub.tlsAddress(proxy.port))
        millis(near) // Warms the JVM up.
        // The shorter of two, because other programs make a query longer.
        val (short, long) = (shorter(millis(near), millis(near)), shorter(millis(far), millis(far)))
        val counted = short.zip(long).map { case ((name, near), (_, far)) =>
          (name, near, far, (far - near) / roundTrip)
        }
        words.text(3).foreach(add(_, counted.map { case (name, _, _, count) => name -> count }))
        println(f"${"query"}%-48s ${"near, ms"}%9s ${"far, ms"}%9s ${"round trips"}%12s")
        counted.foreach { case (name, near, far, count) => println(f"$name%-48s $near%9.0f $far%9.0f $count%12.1f") }
      } finally spark.stop()
    } finally hub.close()
  }

  private def shorter(some: Seq[(String, Double)], others: Seq[(String, Double)]): Seq[(String, Double)] =
    some.zip(others).map { case ((name, one), (_, other)) => name -> math.min(one, other) }

  private def add(name: String, counted: Seq[(String, Double)]): Unit = {
    val file = Path.of("benchmarks/results/round-trips.json")
    val before = if (Files.exists(file)) ujson.read(Files.readString(file))("runs").arr.toSeq else Nil
    val cases = counted.map { case (query, count) =>
      ujson.Obj("query" -> query, "roundTrips" -> math.round(count * 10) / 10.0)
    }
    val runs = before.filterNot(_("of").str == name) :+ ujson.Obj("of" -> name, "cases" -> cases)
    Files.writeString(file, ujson.write(ujson.Obj("runs" -> runs), indent = 2) + "\n")
    ()
  }
}

private final class RoundTrips(hub: HubProcess, spark: SparkSession, large: Workload) {

  private var hubs = 0

  /** What each query took, in milliseconds. */
  def millis(address: String): Seq[(String, Double)] = {
    hubs += 1
    val (small, filled) = (s"small-$hubs", s"large-$hubs")
    hub.create(small, large.partitions)
    hub.create(filled, large.partitions)
    SampleEvents.sendToHub(hub, large, filled)
    hub.oneEach(small, large.partitions)
    def read(name: String): Double = timed(batch(address, name))
    val queries = Seq(
      "first batch read of a hub" -> read(small),
      "next batch read" -> read(small)
    ) ++ {
      hub.create(s"written-$hubs", large.partitions)
      def write(): Double = timed(append(address, s"written-$hubs"))
      Seq("first batch write to a hub" -> write(), "next batch write" -> write())
    } ++ stream(address, small) ++ {
      read(filled)
      Seq(s"batch read of ${large.eventsPerPartition} events a partition" -> read(filled))
    } ++ micro(address, filled)
    Seq(small, filled, s"written-$hubs").foreach(hub.delete)
    queries
  }

  private def batch(address: String, name: String): Unit =
    spark.read.format("eventhubs").options(options(address, name)).load().write.format("noop").mode("overwrite").save()

  private def append(address: String, name: String): Unit =
    spark.range(4).selectExpr("cast(id AS string) AS body").write
      .format("eventhubs").options(options(address, name)).mode("append").save()

  /** A query's start, and a micro-batch of one event per partition over links that are open. */
  private def stream(address: String, name: String): Seq[(String, Double)] = withCheckpoint { checkpoint =>
    val begin = System.nanoTime()
    val query = start(address, name, checkpoint, Trigger.ProcessingTime(0))
    try {
      awaitBatches(query, 1)
      val first = (System.nanoTime() - begin) / 1e6
      hub.oneEach(name, large.partitions)
      awaitBatches(query, 2)
      Seq(
        "stream, until its first micro-batch has ended" -> first,
        "next micro-batch" -> triggers(query).last
      )
    } finally query.stop()
  }

  private def micro(address: String, name: String): Seq[(String, Double)] = withCheckpoint { checkpoint =>
    val query = start(address, name, checkpoint, Trigger.AvailableNow())
    query.awaitTermination()
    Seq(s"micro-batch of ${large.eventsPerBatch / large.partitions} events a partition" -> triggers(query).last)
  }

  private def start(address: String, name: String, checkpoint: Path, trigger: Trigger): StreamingQuery =
    spark.readStream
      .format("eventhubs")
      .options(options(address, name))
      .option("eventhubs.maxEventsPerTrigger", large.eventsPerBatch)
      .load()
      .writeStream
      .format("noop")
      .option("checkpointLocation", checkpoint.toString)
      .trigger(trigger)
      .start()

  private def options(address: String, name: String): Map[String, String] =
    Map("eventhubs.connectionString" -> s"$address;EntityPath=$name", "eventhubs.startingPosition" -> "earliest")

  private def awaitBatches(query: StreamingQuery, count: Int): Unit =
    while (triggers(query).size < count) {
      query.exception.foreach(throw _)
      Thread.sleep(1)
    }

  /** The duration of each micro-batch with events. */
  private def triggers(query: StreamingQuery): Seq[Double] =
    query.recentProgress.toSeq.filter(_.numInputRows > 0).map(_.durationMs.get("triggerExecution").toDouble)

  private def timed(work: => Unit): Double = {
    val begin = System.nanoTime()
    work
    (System.nanoTime() - begin) / 1e6
  }

  private def withCheckpoint[A](body: Path => A): A = {
    val folder = Files.createTempDirectory("round-trips")
    try body(folder.resolve("checkpoint"))
    finally SparkWork.delete(folder)
  }
}
