package benchmarks.harness

/** Carries out a [[Plan]] and prints its progress. */
final class Run(plan: Plan) {

  private val begin = System.nanoTime()

  /** @param onStage called after each stage with all results so far; a run that fails keeps those of earlier stages */
  def results(onStage: Seq[CaseResult] => Unit): Unit = {
    val read = reads()
    onStage(read)
    val written = read ++ writes()
    onStage(written)
    val compared = written ++ comparisons()
    onStage(compared)
    plan.steady.foldLeft(compared) { case (earlier, (load, of)) =>
      val results = earlier ++ steady(load, of)
      onStage(results)
      results
    }
    ()
  }

  /** Long streams. Hub and broker are filled one after the other, because both together do not fit into memory. */
  private def steady(workload: Workload, contenders: Seq[Contender]): Seq[CaseResult] =
    contenders.flatMap { contender =>
      log(s"steady ${contender.name}: ${Run.describe(workload)}")
      val stored = if (contender.client == Client.Kafka) Nil else Seq(workload)
      stage(Seq(contender), HubHeap.gigabytes(stored)) { bench =>
        if (contender.operation.writes) bench.create(workload) else bench.fill(workload, Seq(contender))
        val passes = takeTurns(Seq(contender), Run.longPasses(contender, plan.profile)) { contender =>
          if (contender.operation.writes) write(bench, workload, contender)
          else bench.run(contender, Task.Pass, workload)
        }
        Seq(result(contender, workload, passes(contender)))
      }
    }

  private def result(contender: Contender, workload: Workload, passes: Seq[Pass]): CaseResult =
    CaseResult(contender, workload, passes, profile = plan.profile)

  private def reads(): Seq[CaseResult] = if (plan.reads.isEmpty) Nil
  else stage(plan.readContenders) { bench =>
    bench.fill(plan.cold, plan.readContenders)
    val cold =
      Contender.reads.filter(Run.ColdContenders).map(contender => contender -> coldRuns(bench, contender)).toMap
    // One workload is enough: the code is the same for all of them.
    plan.readContenders.filterNot(_.client == Client.Sdk).foreach(bench.run(_, Task.Check, plan.cold))
    bench.drop(plan.cold)
    val small = smallHeap(bench)
    warmUp(bench, plan.main, plan.readContenders)
    val results = plan.reads.map { case (workload, contenders) =>
      comparedWithSdk(read(bench, workload, contenders))
    }.flatten
    val triggers = triggerFields(bench)
    results.map { result =>
      if (result.workload == plan.main) {
        val fields = Seq(small, triggers).map(_.getOrElse(result.contender, Map.empty))
        result.copy(more = fields.fold(coldFields(cold.getOrElse(result.contender, Nil)))(_ ++ _))
      } else result
    }
  }

  /** Without it, the JIT compiler is still busy during the first workload. */
  private def warmUp(bench: Bench, workload: Workload, contenders: Seq[Contender]): Unit = {
    log(s"warm up: ${Run.describe(workload)}")
    val writes = contenders.exists(_.operation.writes)
    if (writes) bench.create(workload) else bench.fill(workload, contenders)
    takeTurns(contenders, Passes(plan.warmUpPasses, counted = 0)) { contender =>
      if (writes) bench.server(contender).empty(bench.hubOf(workload))
      bench.run(contender, Task.Pass, workload)
    }
    bench.drop(workload)
  }

  private def read(bench: Bench, workload: Workload, contenders: Seq[Contender]): Seq[CaseResult] = {
    log(s"read ${Run.describe(workload)}")
    bench.fill(workload, contenders)
    val passes = takeTurns(contenders, plan.readPasses)(bench.run(_, Task.Pass, workload))
    val none = Map.empty[Contender, Seq[Pass]]
    val firsts =
      if (plan.firsts.contains(workload)) takeTurns(contenders, Run.FewPasses)(bench.run(_, Task.FirstEvent, workload))
      else none
    bench.drop(workload)
    val fixed = if (workload == plan.main) fixedCost(bench, workload, contenders) else none
    def secondsOf(passes: Map[Contender, Seq[Pass]], contender: Contender): Seq[Double] =
      seconds(passes.getOrElse(contender, Nil))
    contenders.map { contender =>
      result(contender, workload, passes(contender))
        .copy(fixedSeconds = secondsOf(fixed, contender), firstSeconds = secondsOf(firsts, contender))
    }
  }

  private def writes(): Seq[CaseResult] = if (plan.writes.isEmpty) Nil
  else stage(plan.writeContenders) { bench =>
    warmUp(bench, plan.mainWrite, plan.writeContenders)
    plan.writes.map { case (workload, contenders) =>
      log(s"write ${Run.describe(workload)}")
      bench.create(workload)
      val passes = takeTurns(contenders, plan.writePasses)(write(bench, workload, _))
      bench.drop(workload)
      contenders.map(contender => result(contender, workload, passes(contender)))
    }.map(comparedWithSdk).flatten
  }

  private def write(bench: Bench, workload: Workload, contender: Contender): Pass = {
    val server = bench.server(contender)
    server.empty(bench.hubOf(workload))
    val before = server.stored(bench.hubOf(workload)).sum
    val pass = bench.run(contender, Task.Pass, workload)
    val stored = server.stored(bench.hubOf(workload)).sum - before
    require(stored == workload.events, s"${contender.name}: $stored of ${workload.events} events arrived")
    pass
  }

  /**
   * The cost of exactly once; see [[Plan.compared]].
   *
   * @param contenders two: what the second one is compared with, and the second one
   */
  def comparisons(contenders: Seq[Contender] = Contender.guarantees): Seq[CaseResult] =
    if (plan.compared.isEmpty) Nil
    else
      stage(contenders) { bench =>
        plan.compared.flatMap { case (load, pairs) => compare(bench, load, pairs, contenders) }
      }

  /**
   * The two rates hardly differ, and the JIT compiler's result differs in each JVM. So there are several pairs of JVMs,
   * and the order of the two changes from pair to pair.
   */
  private def compare(bench: Bench, workload: Workload, pairs: Int, compared: Seq[Contender]): Seq[CaseResult] = {
    log(s"${compared.map(_.name).mkString(" and ")}, $pairs times: write ${Run.describe(workload)}")
    bench.create(workload)
    val passes = (1 to pairs).map { pair =>
      compared.foreach(bench.end)
      val contenders = if (pair % 2 == 0) compared.reverse else compared
      takeTurns(contenders, plan.comparedPasses)(write(bench, workload, _))
    }
    bench.drop(workload)
    compared.map { contender =>
      val comparison =
        if (contender == compared.last) Run.comparedWithFirst(passes, compared) else Map.empty[String, ujson.Value]
      result(contender, workload, passes.flatMap(_(contender))).copy(more = comparison)
    }
  }

  /** The first query of fresh JVMs whose Spark session has started and has run no query. */
  private def coldRuns(bench: Bench, contender: Contender): Seq[Pass] = {
    log(s"cold ${contender.name}")
    (1 to plan.coldRuns).map { _ =>
      bench.end(contender)
      bench.run(contender, Task.Pass, plan.cold)
    }
  }

  private def coldFields(cold: Seq[Pass]): Map[String, ujson.Value] =
    if (cold.isEmpty) Map.empty
    else
      Map(
        "coldFirstQueryMillis" -> ujson.Num(math.round(Statistics.median(seconds(cold)) * 1000).toDouble),
        "coldFirstQueryMillisOfRuns" -> seconds(cold).map(value => math.round(value * 1000).toDouble),
        "coldPeakRssBytes" -> ujson.Num(cold.map(_.usage.peakRssBytes).max.toDouble)
      )

  /** Reads a backlog that is larger than the heap in one batch. Options limit the memory that it needs. */
  private def smallHeap(bench: Bench): Map[Contender, Map[String, ujson.Value]] =
    plan.backlog.fold(Map.empty[Contender, Map[String, ujson.Value]])(smallHeap(bench, _))

  private def smallHeap(bench: Bench, backlog: Workload): Map[Contender, Map[String, ujson.Value]] = {
    log(s"with a heap of ${Run.SmallHeapMegabytes} MB: read ${Run.describe(backlog)}")
    bench.fill(backlog, Run.SmallHeapContenders)
    val fields = Run.SmallHeapContenders.map { contender =>
      val pass = bench.runWithHeap(Run.SmallHeapMegabytes, contender, backlog)
      contender -> Map[String, ujson.Value](
        "smallHeapMegabytes" -> Run.SmallHeapMegabytes,
        "smallHeapBacklogBytes" -> (backlog.events * backlog.bodyBytes).toDouble,
        "smallHeapPeakRssBytes" -> pass.usage.peakRssBytes.toDouble
      )
    }
    bench.drop(backlog)
    fields.toMap
  }

  private def fixedCost(bench: Bench, workload: Workload, contenders: Seq[Contender]): Map[Contender, Seq[Pass]] = {
    val one = workload.copy(events = workload.partitions.toLong)
    bench.fill(one, contenders)
    val passes = takeTurns(contenders, Run.FewPasses)(bench.run(_, Task.Pass, one))
    bench.drop(one)
    passes
  }

  /** The cost of a trigger with one event and without events, as fields of the streams. */
  private def triggerFields(bench: Bench): Map[Contender, Map[String, ujson.Value]] =
    if (plan.triggers == 0) Map.empty else measuredTriggers(bench)

  private def measuredTriggers(bench: Bench): Map[Contender, Map[String, ujson.Value]] = {
    val triggers = plan.main.copy(events = plan.triggers.toLong * plan.main.partitions)
    val contenders = Contender.streams.filter(plan.readContenders.contains)
    log("triggers with one event and with none")
    bench.create(triggers)
    val none = takeTurns(contenders, Run.FewPasses)(bench.run(_, Task.IdleTriggers, triggers))
    // All into one partition: with several, a limit of one event reads one event of each.
    bench.put(triggers, triggers.copy(events = triggers.eventsPerPartition, partitions = 1), contenders)
    val one = takeTurns(contenders, Passes(warmUp = 0, counted = 2))(bench.run(_, Task.OneEventBatches, triggers))
    bench.drop(triggers)
    contenders.map(contender => contender -> triggerFields(none(contender), one(contender))).toMap
  }

  private def triggerFields(none: Seq[Pass], one: Seq[Pass]): Map[String, ujson.Value] = {
    def medianOf(values: Seq[Double]): ujson.Value = ujson.Num(math.round(Statistics.median(values) * 100) / 100.0)
    val batches = one.flatMap(_.usage.triggers)
    Map(
      "idleTriggerMillis" -> medianOf(none.map(pass => 1000 * pass.usage.seconds / pass.usage.events)),
      "idleTriggerCpuMillis" -> medianOf(none.map(pass => 1000 * pass.usage.cpuSeconds / pass.usage.events)),
      "oneEventBatchMillis" -> medianOf(batches.map(_("triggerExecution").toDouble)),
      "oneEventBatchSteps" -> ujson.Obj.from(batches.flatMap(_.keys).distinct.sorted.map { step =>
        step -> medianOf(batches.flatMap(_.get(step)).map(_.toDouble))
      })
    )
  }

  private def takeTurns(
      contenders: Seq[Contender],
      passes: Passes
  )(pass: Contender => Pass): Map[Contender, Seq[Pass]] = {
    val rounds =
      (1 to passes.warmUp + passes.counted).map(_ => contenders.map(contender => contender -> pass(contender)))
    rounds.drop(passes.warmUp).flatten.groupMap(_._1)(_._2)
  }

  private def comparedWithSdk(results: Seq[CaseResult]): Seq[CaseResult] = {
    val sdk = results.find(_.contender.client == Client.Sdk).map(_.eventsPerSecond)
    results.map(result => result.copy(ofSdk = sdk.map(result.eventsPerSecond / _)))
  }

  private def seconds(passes: Seq[Pass]): Seq[Double] = passes.map(_.usage.seconds)

  private def stage[A](contenders: Seq[Contender], heapGigabytes: Int = Run.HubGigabytes)(body: Bench => A): A = {
    val bench = new Bench(contenders, plan.profile, heapGigabytes)
    try body(bench)
    finally bench.close()
  }

  private def log(what: String): Unit =
    println(f"${(System.nanoTime() - begin) / 1000000000L}%5d s  ${plan.profile}: $what")
}

private object Run {

  private val HubGigabytes = 5

  /**
   * The first half of a long stream is its warm-up. Over a distance one of Kafka's takes two to nine minutes, and two
   * of them differed by at most 7 %.
   */
  private def longPasses(contender: Contender, profile: Profile): Passes =
    Passes(warmUp = 0, counted = if (contender.client == Client.Kafka && profile.isCloud) 1 else 2)

  /** For measurements that need few passes. */
  private val FewPasses = Passes(warmUp = 1, counted = 2)

  /** Spark refuses to start with less than 450 MB. */
  private val SmallHeapMegabytes = 512
  private val SmallHeapContenders = Seq(Contender.OurBatchRead, Contender.OurStreamV2)

  private val ColdContenders =
    Set(Contender.OurBatchRead, Contender.OurStreamV2, Contender.KafkaBatchRead, Contender.KafkaStream)

  /** @param pairs the passes of each pair of JVMs */
  private def comparedWithFirst(
      pairs: Seq[Map[Contender, Seq[Pass]]],
      compared: Seq[Contender]
  ): Map[String, ujson.Value] = {
    val neighbours = pairs.map(pair => pair(compared.head).zip(pair(compared.last)))
    def ratio(passes: Seq[(Pass, Pass)]): ujson.Value = {
      val quiet = Statistics.quiet(passes) { case (default, once) => math.max(default.otherCores, once.otherCores) }
      val of = Statistics.ratio(quiet.map { case (default, once) => (default.eventsPerSecond, once.eventsPerSecond) })
      math.round(of * 1000) / 1000.0
    }
    Map("ofDefault" -> ratio(neighbours.flatten), "ofDefaultOfJvms" -> neighbours.map(ratio))
  }

  private def describe(workload: Workload): String =
    s"${workload.events} events of ${workload.bodyBytes} B, ${workload.partitions} partitions, " +
      s"${workload.content.name}, ${workload.sink.name}"
}
