package benchmarks.latency

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import benchmarks.harness.{Client, Profile}
import benchmarks.server.{Cloud, HubProcess, KafkaProcess, Server, ServerCertificate}

/** The delays of one client at one rate, in milliseconds. */
private[benchmarks] final case class LatencyCase(
    client: String,
    rate: Int,
    events: Int,
    p50: Long,
    p95: Long,
    p99: Long,
    max: Long
) {
  def json(profile: Profile): ujson.Obj = ujson.Obj.from(
    profile.fields ++ Seq[(String, ujson.Value)](
      "client" -> client,
      "rate" -> rate,
      "events" -> events,
      "p50" -> p50.toInt,
      "p95" -> p95.toInt,
      "p99" -> p99.toInt,
      "max" -> max.toInt
    )
  )
}

/**
 * Measures clients one after the other, each with its own server and its own query. A query first gets events that do
 * not count, and then events of each rate, all within one batch of Spark.
 *
 * @param seconds of each rate
 */
private[benchmarks] final class LatencyRun(profile: Profile, rates: Seq[Int], seconds: Int) extends AutoCloseable {

  import LatencyRun._

  private val certificate = Option.when(profile.isCloud)(new ServerCertificate)
  private val cloud = certificate.map(Cloud(_, profile.roundTripMillis / 2.0))

  def measure(client: Client): Seq[LatencyCase] = client match {
    case Client.Kafka =>
      val kafka = new KafkaProcess(cloud)
      try {
        Seq(Source, Target).foreach(kafka.createStampedByBroker(_, Partitions))
        copying(client, kafka, Load.toTopic(kafka.address, Source))(Arrivals.inTopic(kafka.address, Target, _))
      } finally kafka.close()
    case _ =>
      val hub = new HubProcess(cloud = cloud, heapGigabytes = 1)
      try {
        Seq(Source, Target).foreach(hub.create(_, Partitions))
        copying(client, hub, Load.toHub(hub.connectionString(Source)))(Arrivals.inHub(hub.connectionString(Target), _))
      } finally hub.close()
  }

  override def close(): Unit = certificate.foreach(_.close())

  private def copying(client: Client, server: Server, load: Load)(
      arrivals: Seq[Long] => Map[Int, Seq[Arrival]]
  ): Seq[LatencyCase] =
    try {
      val options = certificate.toSeq.flatMap(_.javaOptions)
      val copy = new CopyProcess(client, server.clientAddress, Source, Target, options)
      try {
        var sent = load.run(WarmUpRate, WarmUpSeconds, Partitions)
        awaitStored(copy, server, sent)
        rates.foreach { rate =>
          sent += load.run(rate, seconds, Partitions)
          awaitStored(copy, server, sent)
        }
      } finally copy.close()
      val found = arrivals(server.stored(Target))
      sys.env.get("BENCH_ARRIVALS").foreach(folder =>
        write(Path.of(folder), client, found.filter(of => rates.contains(of._1)))
      )
      rates.map(rate => caseOf(client, rate, found(rate)))
    } finally load.close()

  private def awaitStored(copy: CopyProcess, server: Server, events: Long): Unit = {
    val deadline = System.nanoTime() + 60000000000L
    while (server.stored(Target).sum < events) {
      copy.requireAlive()
      require(System.nanoTime() < deadline, s"${server.stored(Target).sum} of $events events arrived within a minute")
      Thread.sleep(20)
    }
  }

  private def write(folder: Path, client: Client, found: Map[Int, Seq[Arrival]]): Unit = {
    val lines = for {
      (rate, arrivals) <- found.toSeq
      Arrival(source, row, target) <- arrivals
    } yield s"$rate,$source,$row,$target"
    Files.createDirectories(folder)
    Files.write(folder.resolve(s"${client.name}.csv"), ("rate,source,row,target" +: lines).asJava)
    ()
  }

  private def caseOf(client: Client, rate: Int, arrivals: Seq[Arrival]): LatencyCase = {
    val sorted = arrivals.map(_.delay).sorted
    def at(part: Double): Long = sorted(math.min(sorted.length - 1, (sorted.length * part).toInt))
    LatencyCase(client.name, rate, sorted.length, at(0.5), at(0.95), at(0.99), sorted.last)
  }
}

private object LatencyRun {
  val Source = "latency-source"
  val Target = "latency-target"

  /** A query in Real-Time Mode needs a core for each of them. */
  val Partitions = 2

  /** No measured rate. A faster one did not help. */
  val WarmUpRate = 5000
  val WarmUpSeconds = 12
}
