package benchmarks

import benchmarks.harness._

/**
 * Read rates of one workload. Passes of all contenders take turns; the first ones only warm up.
 *
 * Arguments: body bytes, events per partition, partitions, passes, events per micro-batch, parts of the contenders'
 * names (comma-separated), and `full` for events with properties and keys; `-` is the default: 100, 250000, 4, 7, all,
 * all, bare.
 *
 * BENCH_JAVA_OPTIONS sets options of each contender's JVM, BENCH_OPTIONS (`key=value,...`) those of the connector.
 */
object ReadThroughput {

  def main(args: Array[String]): Unit = {
    val words = Arguments(args)
    val (bodyBytes, perPartition, partitions) = (words.int(0, 100), words.int(1, 250000), words.int(2, 4))
    val events = perPartition.toLong * partitions
    val workload = Workload(bodyBytes, partitions, events, words.int(4, events.toInt).toLong, words.content(6))
    SideBySide.run(
      if (partitions > 4) Contender.reads ++ Contender.inFourTasks else Contender.reads,
      words.text(5),
      workload,
      words.int(3, 7)
    )(_.fill(workload, _))
  }
}
