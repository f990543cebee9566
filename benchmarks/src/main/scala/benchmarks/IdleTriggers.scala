package benchmarks

import benchmarks.harness._

/**
 * The duration of a trigger without events, of several streams in turn.
 *
 * Arguments: passes, partitions, a part of the contenders' names; `-` is the default: 5, 4, all.
 * BENCH_JAVA_OPTIONS sets options of each contender's JVM.
 */
object IdleTriggers {

  def main(args: Array[String]): Unit = {
    val words = Arguments(args)
    val partitions = words.int(1, 4)
    val workload = Workload(100, partitions, partitions.toLong, partitions.toLong)
    val contenders = Contender.streams.filter(_.name.contains(words.text(2).getOrElse("")))
    val bench = new Bench(contenders)
    try {
      bench.create(workload)
      val passes = (1 to words.int(0, 5)).flatMap { _ =>
        contenders.map(contender => contender -> bench.run(contender, Task.IdleTriggers, workload).usage)
      }
      contenders.foreach { contender =>
        val millis = passes.collect { case (`contender`, usage) => 1000 * usage.seconds / usage.events }.drop(1)
        println(
          f"${contender.name}%-32s ${Statistics.median(millis)}%.2f ms  (${millis.map(ms => f"$ms%.2f").mkString(" ")})"
        )
      }
    } finally bench.close()
  }
}
