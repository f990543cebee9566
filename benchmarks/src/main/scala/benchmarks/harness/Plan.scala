package benchmarks.harness

/**
 * What a run measures.
 *
 * @param warmUp    passes of each lane and workload before those that count
 * @param passes    passes that count
 * @param reads     workloads to read, each through its lanes
 * @param writes    workloads to write, each through its lanes
 * @param cold      workload of the first query of a fresh JVM
 * @param coldRuns  fresh JVMs per lane
 * @param triggers  one-event micro-batches of one query
 * @param backlog   read in one piece with a heap that is smaller than it
 */
final case class Plan(
    name: String,
    warmUp: Int,
    passes: Int,
    reads: Seq[(Workload, Seq[Lane])],
    writes: Seq[(Workload, Seq[Lane])],
    cold: Workload,
    coldRuns: Int,
    triggers: Int,
    backlog: Workload
) {
  def readLanes: Seq[Lane] = lanesOf(reads)
  def writeLanes: Seq[Lane] = lanesOf(writes)

  private def lanesOf(cases: Seq[(Workload, Seq[Lane])]): Seq[Lane] = cases.flatMap(_._2).distinct
}

object Plan {
  import Lane._

  /** A micro-batch holds 200 MB, or half a million events where that is less. */
  private val EventsPerBatch = Map(100 -> 500000L, 1024 -> 200000L, 10240 -> 20000L)

  /** The first of a query does not count for streams. */
  private val BatchesPerPass = Map(100 -> 5, 1024 -> 5, 10240 -> 6)

  private def workload(bodyBytes: Int, partitions: Int): Workload =
    Workload(bodyBytes, partitions, EventsPerBatch(bodyBytes) * BatchesPerPass(bodyBytes), EventsPerBatch(bodyBytes))

  private def written(bodyBytes: Int): Workload = {
    val events = EventsPerBatch(bodyBytes)
    Workload(bodyBytes, 4, 2 * events, events / 2)
  }

  private val bodies = Seq(100, 1024, 10240)
  private val small = workload(1024, 4)
  private val full = small.copy(content = Content.PropertiesAndKeys)
  private val queries = Seq(OurBatchRead, OurStreamV2, KafkaBatchRead, KafkaStream)
  private val mainReads = reads.filterNot(_ == OurStreamV1)

  /** Enough for every goal, in about 19 minutes on two quiet cores. */
  val quick: Plan = Plan(
    name = "quick",
    warmUp = 1,
    passes = 4,
    reads = bodies.map(body => workload(body, 4) -> (if (body == small.bodyBytes) reads else mainReads)) ++ Seq(
      workload(1024, 32) -> Seq(SdkReceive, OurBatchRead, OurStreamV2),
      full -> Seq(OurBatchRead, KafkaBatchRead),
      // Files take their time: one micro-batch of them.
      small.copy(events = small.eventsPerBatch, sink = Sink.Parquet) -> Seq(OurStreamV2, KafkaStream)
    ),
    writes = bodies.map(written(_) -> writes),
    cold = small,
    coldRuns = 2,
    triggers = 40,
    backlog = Workload(10240, 4, 80000, 80000)
  )

  val complete: Plan = Plan(
    name = "full",
    warmUp = 3,
    passes = 7,
    reads =
      (for {
        partitions <- Seq(4, 1, 32)
        body <- bodies
      } yield workload(body, partitions) -> reads) ++
        bodies.map(workload(_, 4).copy(content = Content.PropertiesAndKeys) -> reads) ++
        bodies.map(workload(_, 4).copy(sink = Sink.Parquet) -> queries),
    writes = Seq(
      written(100),
      written(1024),
      written(10240),
      written(1024).copy(partitions = 32),
      written(1024).copy(content = Content.PropertiesAndKeys)
    ).map(_ -> writes),
    cold = small,
    coldRuns = 5,
    triggers = 80,
    backlog = Workload(10240, 4, 240000, 240000)
  )

  /** Everything once with next to nothing in it: shows that the harness works, its figures mean nothing. */
  val smoke: Plan = {
    def tiny(workload: Workload): Workload = workload.copy(events = 3200, eventsPerBatch = 1600)
    quick.copy(
      name = "smoke",
      warmUp = 0,
      passes = 1,
      reads = quick.reads.map { case (workload, lanes) => tiny(workload) -> lanes },
      writes = quick.writes.map { case (workload, lanes) => tiny(workload) -> lanes },
      cold = tiny(quick.cold),
      coldRuns = 1,
      triggers = 3,
      backlog = tiny(quick.backlog)
    )
  }

  def named(name: String): Plan = Seq(quick, complete, smoke).find(_.name == name).getOrElse(
    throw new IllegalArgumentException(s"BENCH is '$name'; expected full, quick or smoke")
  )
}
