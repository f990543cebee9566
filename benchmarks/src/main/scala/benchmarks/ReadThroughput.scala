package benchmarks

import benchmarks.harness._

/**
 * Read rates of one workload, for a quick look: passes of all lanes take turns, the first ones only warm up.
 *
 * Arguments: body bytes, events per partition, partitions, passes, events per micro-batch, parts of the lanes' names with commas,
 * and `full` for events with properties and keys; `-` is the default: 100, 250000, 4, 7, all, all, bare.
 * BENCH_JAVA_OPTIONS goes to the JVM of each lane, BENCH_OPTIONS (`key=value,...`) to the connector.
 */
object ReadThroughput {

  def main(args: Array[String]): Unit = {
    val words = Arguments(args)
    val (bodyBytes, perPartition, partitions) = (words.int(0, 100), words.int(1, 250000), words.int(2, 4))
    val events = perPartition.toLong * partitions
    val workload = Workload(bodyBytes, partitions, events, words.int(4, events.toInt).toLong, words.content(6))
    SideBySide.run(
      if (partitions > 4) Lane.reads ++ Lane.inFourTasks else Lane.reads,
      words.text(5),
      workload,
      words.int(3, 7)
    )(_.fill(workload, _))
  }
}
