package benchmarks.harness

/**
 * Number of passes of each contender of a workload.
 *
 * @param warmUp  passes that do not count
 * @param counted passes that count
 */
final case class Passes(warmUp: Int, counted: Int)

/**
 * The cases that a run measures.
 *
 * @param warmUpPasses passes of each fresh JVM before the first workload; the JIT compiler needs several for a new
 *   query
 * @param warmUpBatches micro-batches in such a pass that writes
 * @param readPasses   passes of each workload to read
 * @param writePasses  passes of each workload to write
 * @param comparedPasses passes in each pair of JVMs of `compared`
 * @param reads     workloads to read, each with its contenders
 * @param writes    workloads to write, each with its contenders
 * @param compared  workloads to write by default and exactly once, each with its number of pairs of JVMs
 * @param firsts    workloads to read whose first event is also timed
 * @param main      the workload whose queries are also measured cold and without events
 * @param coldRuns  fresh JVMs per contender
 * @param triggers  one-event micro-batches of one query
 * @param backlog   a workload that is larger than the heap and is read in one batch, if that is measured
 * @param profile   the network
 * @param steady    long streams, each with its contenders; they read or write
 */
final case class Plan(
    name: String,
    warmUpPasses: Int,
    warmUpBatches: Int,
    readPasses: Passes,
    writePasses: Passes,
    comparedPasses: Passes,
    reads: Seq[(Workload, Seq[Contender])],
    writes: Seq[(Workload, Seq[Contender])],
    compared: Seq[(Workload, Int)],
    firsts: Seq[Workload],
    main: Workload,
    coldRuns: Int,
    triggers: Int,
    backlog: Option[Workload],
    profile: Profile = Profile.Loopback,
    steady: Seq[(Workload, Seq[Contender])] = Nil
) {

  /** The warm-up workload of writers. */
  def mainWrite: Workload = main.copy(events = main.eventsPerBatch * warmUpBatches)

  /** The first query of a fresh JVM: one micro-batch. */
  def cold: Workload = main.copy(events = main.eventsPerBatch)

  def readContenders: Seq[Contender] = contendersOf(reads)
  def writeContenders: Seq[Contender] = contendersOf(writes)

  /** Whether it has cases of this network, of long streams or of all others. */
  def measures(of: Profile, isSteady: Boolean): Boolean =
    of == profile && (if (isSteady) steady.nonEmpty else reads.nonEmpty || writes.nonEmpty)

  private def contendersOf(cases: Seq[(Workload, Seq[Contender])]): Seq[Contender] = cases.flatMap(_._2).distinct
}

object Plan {
  import Contender._

  /** A micro-batch holds 200 MB, or half a million events where that is less. */
  private[harness] val EventsPerBatch: Map[Int, Long] = Map(100 -> 500000L, 1024 -> 200000L, 10240 -> 20000L)

  /** In streams the first two and the last one do not count. */
  private val BatchesRead = Map(100 -> 6, 1024 -> 6, 10240 -> 7)

  private[harness] def workload(bodyBytes: Int, partitions: Int): Workload =
    Workload(bodyBytes, partitions, EventsPerBatch(bodyBytes) * BatchesRead(bodyBytes), EventsPerBatch(bodyBytes))

  /** Ten micro-batches; the first two and the last one do not count. */
  private[harness] def written(bodyBytes: Int): Workload =
    Workload(bodyBytes, 4, EventsPerBatch(bodyBytes) * 10, EventsPerBatch(bodyBytes))

  /** Writing files is slow: one micro-batch is enough. */
  private def parquet(bodyBytes: Int): Workload =
    Workload(bodyBytes, 4, EventsPerBatch(bodyBytes), EventsPerBatch(bodyBytes)).copy(sink = Sink.Parquet)

  private val bodies = Seq(100, 1024, 10240)
  private val small = workload(1024, 4)

  /** A stream has at least five micro-batches: its first two and its last one do not count. */
  private def short(bodyBytes: Int, partitions: Int = 4): Workload =
    Workload(bodyBytes, partitions, EventsPerBatch(bodyBytes) * 5, EventsPerBatch(bodyBytes))

  private val queries = Seq(OurBatchRead, OurStreamV2, KafkaBatchRead, KafkaStream)
  private val mainReads = reads.filterNot(_ == OurStreamV1)

  private val mainWrites = writes.filterNot(Contender.guarantees.contains)
  private val plainReads =
    bodies.map(workload(_, 4)) ++ Seq(workload(1024, 1)) ++ bodies.map(workload(_, 32))

  /** A quick run has a quarter of an hour, and a fifth of that is the build. */
  private val fewWarmUpPasses = 3

  /** Our streams get faster until about their tenth pass, Kafka's until their fifth. */
  private val manyWarmUpPasses = 12
  private val readPasses = Passes(warmUp = 1, counted = 3)
  private val fewReadPasses = Passes(warmUp = 1, counted = 2)
  private val writePasses = Passes(warmUp = 1, counted = 2)

  /** Two neighbouring passes of some contenders differ by a third. */
  private val manyWritePasses = Passes(warmUp = 1, counted = 4)

  /** In the fourth and fifth pass of such a JVM the JIT compiler still took up to a third of a core. */
  private val comparedPasses = Passes(warmUp = 5, counted = 5)

  /**
   * For most goals at 100 B and 1 KB. Kafka's batch queries are left to the full run: with them it took a minute and a
   * half more than its quarter of an hour, `cloud` included.
   */
  val quick: Plan = Plan(
    name = "quick",
    fewWarmUpPasses,
    warmUpBatches = 2,
    fewReadPasses,
    writePasses,
    comparedPasses,
    reads = Seq(
      short(100) -> mainReads.filterNot(_ == KafkaBatchRead),
      short(1024) -> mainReads.filterNot(_ == KafkaBatchRead),
      short(1024, partitions = 32) -> Seq(OurBatchRead, OurStreamV2)
    ),
    writes = Seq(100, 1024).map(short(_) -> mainWrites.filterNot(_ == KafkaBatchWrite)),
    // The two rates are close: a quick run has no time to tell them apart.
    compared = Nil,
    firsts = Seq(short(1024)),
    main = short(1024),
    coldRuns = 1,
    triggers = 10,
    backlog = Some(Workload(10240, 4, 60000, 60000))
  )

  /** Like the quick plan, with all sizes, numbers of partitions, contents and sinks, and with more passes of writes. */
  val complete: Plan = Plan(
    name = "full",
    manyWarmUpPasses,
    warmUpBatches = 4,
    readPasses,
    manyWritePasses,
    comparedPasses,
    reads =
      plainReads.map(plain => plain -> (if (plain.partitions > 4) reads ++ inFourTasks else reads)) ++
        bodies.map(workload(_, 4).copy(content = Content.PropertiesAndKeys) -> queries) ++
        bodies.map(parquet(_) -> queries),
    writes = bodies.map(written(_) -> mainWrites) ++ Seq(
      written(1024).copy(partitions = 32) -> mainWrites,
      // The SDK's producer needs a batch for each key.
      written(1024).copy(content = Content.PropertiesAndKeys) -> mainWrites.filterNot(_ == SdkSend)
    ),
    // Four pairs were too few at both sizes.
    compared = Seq(100, 1024).map(written(_) -> 6),
    firsts = Seq(small),
    main = small,
    coldRuns = 2,
    triggers = 50,
    backlog = Some(Workload(10240, 4, 240000, 240000)),
    // The profile `cloud` has all sizes, and a run must end within three hours.
    steady = CloudPlans.steady(1024)
  )

  /** Every case once with tiny workloads. It tests the harness; its figures mean nothing. */
  val smoke: Plan = {
    def tiny(workload: Workload): Workload = workload.copy(events = 6400, eventsPerBatch = 1600)
    quick.copy(
      name = "smoke",
      warmUpPasses = 1,
      readPasses = Passes(warmUp = 0, counted = 1),
      writePasses = Passes(warmUp = 0, counted = 1),
      comparedPasses = Passes(warmUp = 0, counted = 1),
      reads = quick.reads.map { case (workload, contenders) => tiny(workload) -> contenders },
      writes = quick.writes.map { case (workload, contenders) => tiny(workload) -> contenders },
      compared = Seq(tiny(quick.main) -> 1),
      firsts = quick.firsts.map(tiny),
      main = tiny(quick.main),
      coldRuns = 1,
      triggers = 3,
      backlog = quick.backlog.map(tiny)
    )
  }

  /** The plans of a run, one for each profile. */
  def named(name: String): Seq[Plan] = name match {
    case "full" => complete +: CloudPlans.complete
    case "quick" => Seq(quick, CloudPlans.quick)
    case "cloud" => CloudPlans.alone
    case "streams" => CloudPlans.longStreams
    case "smoke" => Seq(smoke, CloudPlans.smoke)
    case other =>
      throw new IllegalArgumentException(s"BENCH is '$other'; expected full, quick, cloud, streams or smoke")
  }
}
