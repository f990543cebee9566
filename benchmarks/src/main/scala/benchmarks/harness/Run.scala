package benchmarks.harness

/** Carries out a [[Plan]] and tells on the terminal how far it is. */
final class Run(plan: Plan) {

  private val begin = System.nanoTime()

  /** @param soFar is given all results there are after each stage, so that a run that breaks off keeps those before */
  def results(soFar: Seq[CaseResult] => Unit): Unit = {
    val read = reads()
    soFar(read)
    val written = read ++ writes()
    soFar(written)
    soFar(written ++ comparisons())
  }

  private def reads(): Seq[CaseResult] = stage(plan.readLanes) { bench =>
    bench.fill(plan.cold, plan.readLanes)
    val cold = Lane.reads.filter(Run.ColdLanes).map(lane => lane -> coldRuns(bench, lane)).toMap
    // The code is the same for all workloads: what counts right here does so everywhere.
    plan.readLanes.filterNot(_.system == Candidate.Sdk).foreach(bench.run(_, Task.Check, plan.cold))
    bench.drop(plan.cold)
    val small = smallHeap(bench)
    warmUp(bench, plan.main, plan.readLanes)
    val results = plan.reads.map { case (workload, lanes) => besideSdk(read(bench, workload, lanes)) }.flatten
    val triggers = triggerFields(bench)
    results.map { result =>
      if (result.workload == plan.main) {
        val fields = Seq(small, triggers).map(_.getOrElse(result.lane, Map.empty))
        result.copy(more = fields.fold(coldFields(cold.getOrElse(result.lane, Nil)))(_ ++ _))
      } else result
    }
  }

  /** Else the first workload would be measured while the JIT compiler is still busy with what all of them run. */
  private def warmUp(bench: Bench, workload: Workload, lanes: Seq[Lane]): Unit = {
    say(s"warm up: ${Run.describe(workload)}")
    val writes = lanes.exists(_.operation.writes)
    if (writes) bench.create(workload) else bench.fill(workload, lanes)
    takeTurns(lanes, Passes(plan.warmUpPasses, counted = 0)) { lane =>
      if (writes) bench.server(lane).empty(bench.hubOf(workload))
      bench.run(lane, Task.Pass, workload)
    }
    bench.drop(workload)
  }

  private def read(bench: Bench, workload: Workload, lanes: Seq[Lane]): Seq[CaseResult] = {
    say(s"read ${Run.describe(workload)}")
    bench.fill(workload, lanes)
    val passes = takeTurns(lanes, plan.readPasses)(bench.run(_, Task.Pass, workload))
    val none = Map.empty[Lane, Seq[Pass]]
    val firsts =
      if (plan.firsts.contains(workload)) takeTurns(lanes, Run.Few)(bench.run(_, Task.First, workload)) else none
    bench.drop(workload)
    val fixed = if (workload == plan.main) fixedCost(bench, workload, lanes) else none
    def secondsOf(passes: Map[Lane, Seq[Pass]], lane: Lane): Seq[Double] = seconds(passes.getOrElse(lane, Nil))
    lanes.map(lane => CaseResult(lane, workload, passes(lane), secondsOf(fixed, lane), secondsOf(firsts, lane)))
  }

  private def writes(): Seq[CaseResult] = stage(plan.writeLanes) { bench =>
    warmUp(bench, plan.mainWrite, plan.writeLanes)
    plan.writes.map { case (workload, lanes) =>
      say(s"write ${Run.describe(workload)}")
      bench.create(workload)
      val passes = takeTurns(lanes, plan.writePasses)(write(bench, workload, _))
      bench.drop(workload)
      lanes.map(lane => CaseResult(lane, workload, passes(lane)))
    }.map(besideSdk).flatten
  }

  private def write(bench: Bench, workload: Workload, lane: Lane): Pass = {
    val server = bench.server(lane)
    server.empty(bench.hubOf(workload))
    val before = server.stored(bench.hubOf(workload)).sum
    val pass = bench.run(lane, Task.Pass, workload)
    val stored = server.stored(bench.hubOf(workload)).sum - before
    require(stored == workload.events, s"${lane.name}: $stored of ${workload.events} events arrived")
    pass
  }

  /** What exactly once costs: see [[Plan.compared]]. */
  def comparisons(): Seq[CaseResult] =
    if (plan.compared.isEmpty) Nil
    else stage(Lane.guarantees)(bench => plan.compared.flatMap { case (load, pairs) => compare(bench, load, pairs) })

  /**
   * Between two that hardly differ, what the JIT compiler made of each JVM's code decides: so there are several of them. Which of
   * the two goes first changes from pair to pair.
   */
  private def compare(bench: Bench, workload: Workload, pairs: Int): Seq[CaseResult] = {
    say(s"default and exactly once, $pairs times: write ${Run.describe(workload)}")
    bench.create(workload)
    val passes = (1 to pairs).map { pair =>
      Lane.guarantees.foreach(bench.end)
      val lanes = if (pair % 2 == 0) Lane.guarantees.reverse else Lane.guarantees
      takeTurns(lanes, plan.comparedPasses)(write(bench, workload, _))
    }
    bench.drop(workload)
    Lane.guarantees.map { lane =>
      val beside = if (lane == Lane.OurExactlyOnce) Run.besideDefault(passes) else Map.empty[String, ujson.Value]
      CaseResult(lane, workload, passes.flatMap(_(lane)), more = beside)
    }
  }

  /** A fresh JVM, its Spark session started but never used: how long does its first query take? */
  private def coldRuns(bench: Bench, lane: Lane): Seq[Pass] = {
    say(s"cold ${lane.name}")
    (1 to plan.coldRuns).map { _ =>
      bench.end(lane)
      bench.run(lane, Task.Pass, plan.cold)
    }
  }

  private def coldFields(cold: Seq[Pass]): Map[String, ujson.Value] =
    if (cold.isEmpty) Map.empty
    else
      Map(
        "coldFirstQueryMillis" -> ujson.Num(math.round(Statistics.median(seconds(cold)) * 1000).toDouble),
        "coldFirstQueryMillisOfRuns" -> seconds(cold).map(value => math.round(value * 1000).toDouble),
        "coldPeakRssBytes" -> ujson.Num(cold.map(_.used.peakRssBytes).max.toDouble)
      )

  /** A backlog that is larger than the heap, in one piece: what is held of it is bounded by options. */
  private def smallHeap(bench: Bench): Map[Lane, Map[String, ujson.Value]] = {
    val backlog = plan.backlog
    say(s"with a heap of ${Run.SmallHeapMegabytes} MB: read ${Run.describe(backlog)}")
    bench.fill(backlog, Run.SmallHeapLanes)
    val fields = Run.SmallHeapLanes.map { lane =>
      val pass = bench.runWithHeap(Run.SmallHeapMegabytes, lane, backlog)
      lane -> Map[String, ujson.Value](
        "smallHeapMegabytes" -> Run.SmallHeapMegabytes,
        "smallHeapBacklogBytes" -> (backlog.events * backlog.bodyBytes).toDouble,
        "smallHeapPeakRssBytes" -> pass.used.peakRssBytes.toDouble
      )
    }
    bench.drop(backlog)
    fields.toMap
  }

  private def fixedCost(bench: Bench, workload: Workload, lanes: Seq[Lane]): Map[Lane, Seq[Pass]] = {
    val one = workload.copy(events = workload.partitions.toLong)
    bench.fill(one, lanes)
    val passes = takeTurns(lanes, Run.Few)(bench.run(_, Task.Pass, one))
    bench.drop(one)
    passes
  }

  /** What a trigger costs that finds one event, or none, as fields of the streams. */
  private def triggerFields(bench: Bench): Map[Lane, Map[String, ujson.Value]] = {
    val triggers = plan.main.copy(events = plan.triggers.toLong * plan.main.partitions)
    val lanes = Lane.streams.filter(plan.readLanes.contains)
    say("triggers with one event and with none")
    bench.create(triggers)
    val none = takeTurns(lanes, Run.Few)(bench.run(_, Task.IdleTriggers, triggers))
    // All of them into the first partition: with several busy ones a limit of one event would read one of each.
    bench.put(triggers, triggers.copy(events = triggers.eventsPerPartition, partitions = 1), lanes)
    val one = takeTurns(lanes, Passes(warmUp = 0, counted = 2))(bench.run(_, Task.OneEventBatches, triggers))
    bench.drop(triggers)
    lanes.map(lane => lane -> triggerFields(none(lane), one(lane))).toMap
  }

  private def triggerFields(none: Seq[Pass], one: Seq[Pass]): Map[String, ujson.Value] = {
    def medianOf(values: Seq[Double]): ujson.Value = ujson.Num(math.round(Statistics.median(values) * 100) / 100.0)
    val batches = one.flatMap(_.used.triggers)
    Map(
      "idleTriggerMillis" -> medianOf(none.map(pass => 1000 * pass.used.seconds / pass.used.events)),
      "idleTriggerCpuMillis" -> medianOf(none.map(pass => 1000 * pass.used.cpuSeconds / pass.used.events)),
      "oneEventBatchMillis" -> medianOf(batches.map(_("triggerExecution").toDouble)),
      "oneEventBatchSteps" -> ujson.Obj.from(batches.flatMap(_.keys).distinct.sorted.map { step =>
        step -> medianOf(batches.flatMap(_.get(step)).map(_.toDouble))
      })
    )
  }

  private def takeTurns(lanes: Seq[Lane], passes: Passes)(pass: Lane => Pass): Map[Lane, Seq[Pass]] = {
    val rounds = (1 to passes.warmUp + passes.counted).map(_ => lanes.map(lane => lane -> pass(lane)))
    rounds.drop(passes.warmUp).flatten.groupMap(_._1)(_._2)
  }

  private def besideSdk(results: Seq[CaseResult]): Seq[CaseResult] = {
    val sdk = results.find(_.lane.system == Candidate.Sdk).map(_.eventsPerSecond)
    results.map(result => result.copy(ofSdk = sdk.map(result.eventsPerSecond / _)))
  }

  private def seconds(passes: Seq[Pass]): Seq[Double] = passes.map(_.used.seconds)

  private def stage[A](lanes: Seq[Lane])(body: Bench => A): A = {
    val bench = new Bench(lanes)
    try body(bench)
    finally bench.close()
  }

  private def say(what: String): Unit = println(f"${(System.nanoTime() - begin) / 1000000000L}%5d s  $what")
}

private object Run {

  /** Passes for what needs no more. */
  private val Few = Passes(warmUp = 1, counted = 2)

  /** Spark refuses to start with less than 450 MB. */
  private val SmallHeapMegabytes = 512
  private val SmallHeapLanes = Seq(Lane.OurBatchRead, Lane.OurStreamV2)

  private val ColdLanes = Set(Lane.OurBatchRead, Lane.OurStreamV2, Lane.KafkaBatchRead, Lane.KafkaStream)

  /** @param pairs what each pair of JVMs measured */
  private def besideDefault(pairs: Seq[Map[Lane, Seq[Pass]]]): Map[String, ujson.Value] = {
    val neighbours = pairs.map(pair => pair(Lane.OurStreamWriteV1).zip(pair(Lane.OurExactlyOnce)))
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
