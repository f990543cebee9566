package benchmarks

import benchmarks.harness._

/**
 * Write rates of one workload, for a quick look: passes of all lanes take turns, the first ones only warm up.
 *
 * Arguments: body bytes, events, partitions, passes, events per micro-batch, parts of the lanes' names with commas, and `full` for
 * events with properties and keys; `-` is the default: 100, 400000, 4, 7, all, all, bare. BENCH_JAVA_OPTIONS goes to the
 * JVM of each lane.
 */
object WriteThroughput {

  def main(args: Array[String]): Unit = {
    val words = Arguments(args)
    val events = words.int(1, 400000)
    val workload =
      Workload(words.int(0, 100), words.int(2, 4), events.toLong, words.int(4, events).toLong, words.content(6))
    SideBySide.run(Lane.writes, words.text(5), workload, words.int(3, 7))((bench, _) => bench.create(workload))
  }
}
