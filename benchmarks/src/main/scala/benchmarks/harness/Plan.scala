package benchmarks.harness

/**
 * How often each lane of a workload runs.
 *
 * @param warmUp  passes before those that count
 * @param counted passes that count
 */
final case class Passes(warmUp: Int, counted: Int)

/**
 * What a run measures.
 *
 * @param warmUpPasses of each fresh JVM, before the first workload: the JIT compiler needs several for a query that it has not seen
 * @param readPasses  through each workload to read
 * @param writePasses through each workload to write
 * @param comparedPasses in each pair of JVMs of `compared`
 * @param reads     workloads to read, each through its lanes
 * @param writes    workloads to write, each through its lanes
 * @param compared  workloads to write by default and exactly once, each in so many pairs of JVMs
 * @param firsts    workloads to read whose first event is also timed
 * @param main      the workload whose queries are also measured cold and without events
 * @param coldRuns  fresh JVMs per lane
 * @param triggers  one-event micro-batches of one query
 * @param backlog   read in one piece with a heap that is smaller than it
 */
final case class Plan(
    name: String,
    warmUpPasses: Int,
    readPasses: Passes,
    writePasses: Passes,
    comparedPasses: Passes,
    reads: Seq[(Workload, Seq[Lane])],
    writes: Seq[(Workload, Seq[Lane])],
    compared: Seq[(Workload, Int)],
    firsts: Seq[Workload],
    main: Workload,
    coldRuns: Int,
    triggers: Int,
    backlog: Workload
) {

  /** What fresh JVMs write before the first workload. */
  def mainWrite: Workload = main.copy(events = main.eventsPerBatch * 4)

  /** For the first query of a fresh JVM: one micro-batch. */
  def cold: Workload = main.copy(events = main.eventsPerBatch)

  def readLanes: Seq[Lane] = lanesOf(reads)
  def writeLanes: Seq[Lane] = lanesOf(writes)

  private def lanesOf(cases: Seq[(Workload, Seq[Lane])]): Seq[Lane] = cases.flatMap(_._2).distinct
}

object Plan {
  import Lane._

  /** A micro-batch holds 200 MB, or half a million events where that is less. */
  private val EventsPerBatch = Map(100 -> 500000L, 1024 -> 200000L, 10240 -> 20000L)

  /** For streams two of them are the start and one is the end of a query, and do not count. */
  private val BatchesRead = Map(100 -> 6, 1024 -> 6, 10240 -> 7)

  private def workload(bodyBytes: Int, partitions: Int): Workload =
    Workload(bodyBytes, partitions, EventsPerBatch(bodyBytes) * BatchesRead(bodyBytes), EventsPerBatch(bodyBytes))

  /** Ten micro-batches, of which the first ones and the last one do not count. */
  private def written(bodyBytes: Int): Workload =
    Workload(bodyBytes, 4, EventsPerBatch(bodyBytes) * 10, EventsPerBatch(bodyBytes))

  /** Files take their time: one micro-batch of them. */
  private def parquet(bodyBytes: Int): Workload =
    Workload(bodyBytes, 4, EventsPerBatch(bodyBytes), EventsPerBatch(bodyBytes)).copy(sink = Sink.Parquet)

  private val bodies = Seq(100, 1024, 10240)
  private val small = workload(1024, 4)
  private val full = small.copy(content = Content.PropertiesAndKeys)
  private val queries = Seq(OurBatchRead, OurStreamV2, KafkaBatchRead, KafkaStream)
  private val mainReads = reads.filterNot(_ == OurStreamV1)

  private val mainWrites = writes.filterNot(Lane.guarantees.contains)
  private val plainReads = Seq(4, 1, 32).flatMap(partitions => bodies.map(workload(_, partitions)))

  /** With five a slow hour and a clean clone came to more than a quarter of an hour. */
  private val warmUpPasses = 4

  /** A stream of ours goes on to get faster until its tenth pass or so, Kafka's until its fifth. */
  private val manyWarmUpPasses = 12
  private val readPasses = Passes(warmUp = 1, counted = 3)
  private val writePasses = Passes(warmUp = 1, counted = 2)

  /** Of some lanes two passes in turn differ by a third. */
  private val manyWritePasses = Passes(warmUp = 1, counted = 4)

  /** In the fourth and fifth pass of such a JVM the JIT compiler still took up to a third of a core. */
  private val comparedPasses = Passes(warmUp = 5, counted = 5)

  /** Enough for the goals at 100 B and 1 KB, in less than a quarter of an hour on two quiet cores. */
  val quick: Plan = Plan(
    name = "quick",
    warmUpPasses,
    readPasses,
    writePasses,
    comparedPasses,
    reads = Seq(
      workload(100, 4) -> mainReads,
      small -> mainReads,
      workload(10240, 4) -> mainReads.filterNot(_ == KafkaBatchRead),
      workload(1024, 32) -> Seq(OurBatchRead, OurStreamV2),
      full -> Seq(OurBatchRead)
    ),
    writes = Seq(100, 1024).map(written(_) -> mainWrites),
    // Two that are so near to each other need more time than a quick run has.
    compared = Nil,
    firsts = Seq(small),
    main = small,
    coldRuns = 1,
    triggers = 25,
    backlog = Workload(10240, 4, 60000, 60000)
  )

  /** Measured like the quick one, but all sizes, numbers of partitions, contents and sinks, and more passes of writes. */
  val complete: Plan = Plan(
    name = "full",
    manyWarmUpPasses,
    readPasses,
    manyWritePasses,
    comparedPasses,
    reads =
      plainReads.map(plain => plain -> (if (plain.partitions > 4) reads ++ inFourTasks else reads)) ++
        bodies.map(workload(_, 4).copy(content = Content.PropertiesAndKeys) -> queries) ++
        bodies.map(parquet(_) -> queries),
    writes = bodies.map(written(_) -> mainWrites) ++ Seq(
      written(1024).copy(partitions = 32) -> mainWrites,
      // The SDK's producer would need a batch for each key.
      written(1024).copy(content = Content.PropertiesAndKeys) -> mainWrites.filterNot(_ == SdkSend)
    ),
    // Four pairs settled it at neither size.
    compared = Seq(100, 1024).map(written(_) -> 6),
    firsts = Seq(small),
    main = small,
    coldRuns = 2,
    triggers = 50,
    backlog = Workload(10240, 4, 240000, 240000)
  )

  /** Everything once with next to nothing in it: shows that the harness works, its figures mean nothing. */
  val smoke: Plan = {
    def tiny(workload: Workload): Workload = workload.copy(events = 6400, eventsPerBatch = 1600)
    quick.copy(
      name = "smoke",
      warmUpPasses = 1,
      readPasses = Passes(warmUp = 0, counted = 1),
      writePasses = Passes(warmUp = 0, counted = 1),
      comparedPasses = Passes(warmUp = 0, counted = 1),
      reads = quick.reads.map { case (workload, lanes) => tiny(workload) -> lanes },
      writes = quick.writes.map { case (workload, lanes) => tiny(workload) -> lanes },
      compared = Seq(tiny(quick.main) -> 1),
      firsts = quick.firsts.map(tiny),
      main = tiny(quick.main),
      coldRuns = 1,
      triggers = 3,
      backlog = tiny(quick.backlog)
    )
  }

  def named(name: String): Plan = Seq(quick, complete, smoke).find(_.name == name).getOrElse(
    throw new IllegalArgumentException(s"BENCH is '$name'; expected full, quick or smoke")
  )
}
