package benchmarks

import benchmarks.harness._

/**
 * Contenders compared on one workload, as a table on the terminal.
 *
 * BENCH_PROFILE chooses the network: `loopback` (the default), `cloud`, or `cloud:<milliseconds of a round trip>`.
 */
private object SideBySide {

  private val WarmUpPasses = 2

  def run(contenders: Seq[Contender], namePart: Option[String], workload: Workload, passes: Int)(
      prepare: (Bench, Seq[Contender]) => Unit
  ): Unit = {
    val parts = namePart.getOrElse("").split(',')
    val chosen =
      contenders.filter(contender => parts.exists(part => s"${contender.name} ${contender.argument}".contains(part)))
    require(
      chosen.nonEmpty,
      s"no contender has '${namePart.get}' in its name: ${contenders.map(_.argument).mkString(", ")}"
    )
    val profile = sys.env.get("BENCH_PROFILE").fold(Profile.Loopback)(Profile.parse)
    val bench = new Bench(chosen, profile, HubHeap.gigabytes(Seq(workload)))
    try {
      prepare(bench, chosen)
      val measured = (1 to passes).map { _ =>
        chosen.map { contender =>
          if (contender.operation.writes) bench.server(contender).empty(bench.hubOf(workload))
          contender -> bench.run(contender, Task.Pass, workload)
        }
      }
      println(s"profile: $profile")
      report(workload, chosen, measured.drop(WarmUpPasses).flatten)
      println(s"each pass; the medians above leave out the first $WarmUpPasses")
      chosen.foreach { contender =>
        val passes = measured.flatten.collect { case (`contender`, pass) => pass }
        def line(what: String)(value: Pass => String): Unit =
          println(f"${contender.name}%-32s $what%-9s ${passes.map(value).mkString(" ")}")
        line("events/s")(pass => f"${pass.eventsPerSecond / 1e3}%5.0fk")
        line("us/event")(pass => f"${pass.cpuMicrosPerEvent}%6.2f")
        line("proxy")(pass => f"${pass.proxyCpuSeconds / pass.usage.seconds}%6.2f")
        line("JIT")(pass => f"${pass.usage.jitShare}%6.2f")
      }
    } finally bench.close()
  }

  private def report(workload: Workload, contenders: Seq[Contender], passes: Seq[(Contender, Pass)]): Unit = {
    println(s"body ${workload.bodyBytes} B, ${workload.partitions} partitions, ${workload.events} events, " +
      s"${workload.eventsPerBatch} a micro-batch, local[2], medians of ${passes.size / contenders.size} passes")
    println(
      f"${"contender"}%-32s ${"events/s"}%10s ${"MB/s"}%7s ${"of first"}%8s ${"spread"}%7s ${"us/event"}%8s " +
        f"${"server"}%7s ${"B/event"}%8s ${"RSS MB"}%7s ${"JIT"}%5s ${"others"}%7s"
    )
    val first = of(contenders.head, passes)(_.eventsPerSecond)
    contenders.foreach { contender =>
      def median(value: Pass => Double): Double = of(contender, passes)(value)
      val rate = median(_.eventsPerSecond)
      val spread = Statistics.spread(passes.collect { case (`contender`, pass) => pass.eventsPerSecond })
      println(
        f"${contender.name}%-32s $rate%10.0f ${rate * workload.bodyBytes / 1e6}%7.1f ${rate / first}%8.2f $spread%7.2f " +
          f"${median(_.cpuMicrosPerEvent)}%8.2f ${median(_.serverCpuMicrosPerEvent)}%7.2f " +
          f"${median(pass => pass.usage.allocatedBytes.toDouble / pass.usage.events)}%8.0f " +
          f"${median(_.usage.peakRssBytes / 1e6)}%7.0f ${median(_.usage.jitShare)}%5.2f ${median(_.otherCores)}%7.2f"
      )
    }
  }

  private def of(contender: Contender, passes: Seq[(Contender, Pass)])(value: Pass => Double): Double =
    Statistics.median(passes.collect { case (`contender`, pass) => value(pass) })
}
