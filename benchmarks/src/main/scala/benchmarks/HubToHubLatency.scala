package benchmarks

import java.nio.file.{Files, Path}

import benchmarks.harness.{Client, Profile}
import benchmarks.latency.LatencyRun

/**
 * Latency from hub to hub in Real-Time Mode, of this connector and of Spark's Kafka connector: the time from an event's
 * storage in the source to that of its copy in the target, at several rates. Writes `latency.json`; cases of another
 * profile stay.
 *
 * Arguments: the output folder, seconds of each rate, parts of the clients' names (comma-separated), rates; `-` is the
 * default: benchmarks/results, 10, all, 100 1000 10000. BENCH_PROFILE chooses the network as for `WriteThroughput`,
 * BENCH_LINGER_MS sets `eventhubs.lingerMs`. BENCH_ARRIVALS is a folder for the times of each event.
 */
object HubToHubLatency {

  def main(args: Array[String]): Unit = {
    val words = Arguments(args)
    val file = Files.createDirectories(Path.of(words.text(0).getOrElse("benchmarks/results"))).resolve("latency.json")
    val rates = Some(words.words.drop(3).map(_.toInt)).filter(_.nonEmpty).getOrElse(Seq(100, 1000, 10000))
    val parts = words.text(2).getOrElse("").split(',')
    val clients = Seq(Client.EventHubs, Client.Kafka).filter(client => parts.exists(client.name.contains(_)))
    val profile = sys.env.get("BENCH_PROFILE").fold(Profile.Loopback)(Profile.parse)
    val run = new LatencyRun(profile, rates, seconds = words.int(1, 10))
    val cases =
      try clients.flatMap(run.measure)
      finally run.close()
    val others =
      if (!Files.exists(file)) Nil
      else ujson.read(Files.readString(file)).arr.toSeq.filterNot(of =>
        of("profile").str == profile.name && clients.exists(_.name == of("client").str)
      )
    Files.writeString(file, ujson.write(others ++ cases.map(_.json(profile)), indent = 2) + "\n")
    println(s"profile: $profile")
    println(f"${"client"}%-18s ${"events/s"}%9s ${"events"}%8s ${"p50 ms"}%7s ${"p95"}%7s ${"p99"}%7s ${"max"}%7s")
    cases.foreach { of =>
      println(f"${of.client}%-18s ${of.rate}%9d ${of.events}%8d ${of.p50}%7d ${of.p95}%7d ${of.p99}%7d ${of.max}%7d")
    }
  }
}
