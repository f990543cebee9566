package benchmarks

import benchmarks.harness._

/** Lanes side by side on one workload, as a table on the terminal. */
private object SideBySide {

  private val WarmUpPasses = 2

  def run(lanes: Seq[Lane], namePart: Option[String], workload: Workload, passes: Int)(
      prepare: (Bench, Seq[Lane]) => Unit
  ): Unit = {
    val parts = namePart.getOrElse("").split(',')
    val chosen = lanes.filter(lane => parts.exists(lane.name.contains(_)))
    require(chosen.nonEmpty, s"no lane has '${namePart.get}' in its name: ${lanes.map(_.name).mkString(", ")}")
    val bench = new Bench(chosen)
    try {
      prepare(bench, chosen)
      val measured = (1 to passes).map { _ =>
        chosen.map { lane =>
          if (lane.operation.writes) bench.server(lane).empty(bench.hubOf(workload))
          lane -> bench.run(lane, Task.Pass, workload)
        }
      }
      report(workload, chosen, measured.drop(WarmUpPasses).flatten)
      println(s"each pass; the first $WarmUpPasses do not count above")
      chosen.foreach { lane =>
        val passes = measured.flatten.collect { case (`lane`, pass) => pass }
        def line(what: String)(value: Pass => String): Unit =
          println(f"${lane.name}%-32s $what%-9s ${passes.map(value).mkString(" ")}")
        line("events/s")(pass => f"${pass.eventsPerSecond / 1e3}%5.0fk")
        line("us/event")(pass => f"${pass.cpuMicrosPerEvent}%6.2f")
        line("JIT")(pass => f"${pass.used.jitShare}%6.2f")
      }
    } finally bench.close()
  }

  private def report(workload: Workload, lanes: Seq[Lane], passes: Seq[(Lane, Pass)]): Unit = {
    println(s"body ${workload.bodyBytes} B, ${workload.partitions} partitions, ${workload.events} events, " +
      s"${workload.eventsPerBatch} a micro-batch, local[2], medians of ${passes.size / lanes.size} passes")
    println(
      f"${"lane"}%-32s ${"events/s"}%10s ${"MB/s"}%7s ${"of first"}%8s ${"spread"}%7s ${"us/event"}%8s " +
        f"${"server"}%7s ${"B/event"}%8s ${"RSS MB"}%7s ${"JIT"}%5s ${"others"}%7s"
    )
    val first = of(lanes.head, passes)(_.eventsPerSecond)
    lanes.foreach { lane =>
      def median(value: Pass => Double): Double = of(lane, passes)(value)
      val rate = median(_.eventsPerSecond)
      val spread = Statistics.spread(passes.collect { case (`lane`, pass) => pass.eventsPerSecond })
      println(
        f"${lane.name}%-32s $rate%10.0f ${rate * workload.bodyBytes / 1e6}%7.1f ${rate / first}%8.2f $spread%7.2f " +
          f"${median(_.cpuMicrosPerEvent)}%8.2f ${median(_.serverCpuMicrosPerEvent)}%7.2f " +
          f"${median(pass => pass.used.allocatedBytes.toDouble / pass.used.events)}%8.0f " +
          f"${median(_.used.peakRssBytes / 1e6)}%7.0f ${median(_.used.jitShare)}%5.2f ${median(_.otherCores)}%7.2f"
      )
    }
  }

  private def of(lane: Lane, passes: Seq[(Lane, Pass)])(value: Pass => Double): Double =
    Statistics.median(passes.collect { case (`lane`, pass) => value(pass) })
}
