package benchmarks

import benchmarks.harness._

/**
 * The cost of exactly once as `make bench` measures it, in pairs of JVMs.
 *
 * Arguments: body bytes, pairs; `-` is the default: 1024, 8. With `idempotent` as the third one, exactly once with
 * idempotent producers is compared with exactly once. BENCH_JAVA_OPTIONS sets options of each contender's JVM.
 */
object ExactlyOnceCost {

  def main(args: Array[String]): Unit = {
    val words = Arguments(args)
    val (bodyBytes, pairs) = (words.int(0, 1024), words.int(1, 8))
    val workload = Plan.complete.compared.collectFirst { case (load, _) if load.bodyBytes == bodyBytes => load }
      .getOrElse(throw new IllegalArgumentException(s"exactly once is not measured with bodies of $bodyBytes B"))
    val plan = Plan.complete.copy(compared = Seq(workload -> pairs))
    val contenders = if (words.text(2).contains("idempotent")) Contender.exactlyOnce else Contender.guarantees
    new Run(plan).comparisons(contenders).foreach { result =>
      result.passes.grouped(plan.comparedPasses.counted).foreach { jvm =>
        def each(format: String)(value: Pass => Double) = jvm.map(pass => format.format(value(pass))).mkString(" ")
        println(s"${result.contender.name}  ${each("%4.0fk")(_.eventsPerSecond / 1e3)} events/s, " +
          s"${each("%.2f")(_.cpuMicrosPerEvent)} us/event, JIT ${each("%.2f")(_.usage.jitShare)}")
      }
      result.more.foreach { case (name, value) => println(s"$name $value") }
    }
  }
}
