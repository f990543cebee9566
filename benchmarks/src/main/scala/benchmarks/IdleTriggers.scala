package benchmarks

import benchmarks.harness._

/**
 * How long a trigger takes that finds nothing, streams side by side, for a quick look.
 *
 * Arguments: passes, partitions, a part of the lanes' names; `-` is the default: 5, 4, all. BENCH_JAVA_OPTIONS goes to the JVM
 * of each lane.
 */
object IdleTriggers {

  def main(args: Array[String]): Unit = {
    val words = Arguments(args)
    val partitions = words.int(1, 4)
    val workload = Workload(100, partitions, partitions.toLong, partitions.toLong)
    val lanes = Lane.streams.filter(_.name.contains(words.text(2).getOrElse("")))
    val bench = new Bench(lanes)
    try {
      bench.create(workload)
      val passes = (1 to words.int(0, 5)).flatMap { _ =>
        lanes.map(lane => lane -> bench.run(lane, Task.IdleTriggers, workload).used)
      }
      lanes.foreach { lane =>
        val millis = passes.collect { case (`lane`, used) => 1000 * used.seconds / used.events }.drop(1)
        println(
          f"${lane.name}%-32s ${Statistics.median(millis)}%.2f ms  (${millis.map(ms => f"$ms%.2f").mkString(" ")})"
        )
      }
    } finally bench.close()
  }
}
