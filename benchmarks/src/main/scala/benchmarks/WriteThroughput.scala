package benchmarks

import benchmarks.harness._

/**
 * Write rates of one workload. Passes of all contenders take turns; the first ones only warm up.
 *
 * Arguments: body bytes, events, partitions, passes, events per micro-batch, parts of the contenders' names
 * (comma-separated), and `full` for events with properties and keys; `-` is the default: 100, 400000, 4, 7, all, all,
 * bare. BENCH_JAVA_OPTIONS sets options of each contender's JVM.
 */
object WriteThroughput {

  def main(args: Array[String]): Unit = {
    val words = Arguments(args)
    val events = words.int(1, 400000)
    val workload =
      Workload(words.int(0, 100), words.int(2, 4), events.toLong, words.int(4, events).toLong, words.content(6))
    SideBySide.run(Contender.writes, words.text(5), workload, words.int(3, 7))((bench, _) => bench.create(workload))
  }
}
