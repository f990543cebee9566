package benchmarks.harness

/** What is measured in the profile `cloud`, and the long streams of both profiles. */
private object CloudPlans {
  import Contender._

  private val bodies = Seq(100, 1024, 10240)
  private val streams = Seq(OurStreamV2, KafkaStream)
  private val streamWrites = Seq(OurStreamWriteV2, KafkaStreamWrite)
  private val reads = Seq(SdkReceive, OurBatchRead, OurStreamV2, KafkaBatchRead, KafkaStream)
  private val writes = Seq(SdkSend, OurBatchWrite, OurStreamWriteV2, KafkaBatchWrite, KafkaStreamWrite)

  /** More than a hundred: a micro-batch may have fewer events than its limit. */
  private val MicroBatches = 110

  private val UsualWarmUpPasses = 4

  /** A micro-batch holds 20 MB or 40 MB, so that the whole stream fits into memory. */
  private val EventsPerBatch = Map(100 -> 200000L, 1024 -> 40000L, 10240 -> 4000L)

  /** Long streams that read, and long streams that write. */
  def steady(bodyBytes: Int): Seq[(Workload, Seq[Contender])] = {
    val perBatch = EventsPerBatch(bodyBytes)
    val stream = Workload(bodyBytes, 4, perBatch * MicroBatches, perBatch, steady = true)
    Seq(stream -> streams, stream -> streamWrites)
  }

  /** Kafka's connector reads 25,000 events of 1 KB a second, and writes 8,000: more would take hours. */
  private def read(bodyBytes: Int, partitions: Int): Workload = {
    val perBatch = Map(100 -> 200000L, 1024 -> 80000L, 10240 -> 8000L)(bodyBytes)
    Workload(bodyBytes, partitions, perBatch * 6, perBatch)
  }

  private def written(bodyBytes: Int): Workload = {
    val perBatch = EventsPerBatch(bodyBytes)
    Workload(bodyBytes, 4, perBatch * 6, perBatch)
  }

  private def withoutKafka(contenders: Seq[Contender]) = contenders.filterNot(_.client == Client.Kafka)

  /** Plans a profile. The first one of a full run measures all, the others what their distance changes for us. */
  private def plan(base: Plan, roundTripMillis: Int): Plan = base.copy(
    profile = Profile.cloud(roundTripMillis),
    warmUpPasses = UsualWarmUpPasses,
    writePasses = Plan.quick.writePasses,
    main = read(1024, 4),
    reads = bodies.map(read(_, 4) -> withoutKafka(reads)),
    writes = bodies.map(written(_) -> withoutKafka(writes)),
    compared = Nil,
    firsts = Nil,
    coldRuns = 0,
    triggers = 0,
    backlog = None,
    steady = Nil
  )

  /**
   * The usual distance. Kafka's streams are measured in the long form, which needs most of the time. In the short form
   * they have one workload, for the first query and the triggers. Lazy, because the plans of the profile loopback use
   * this object.
   */
  private lazy val usual: Plan =
    plan(Plan.complete, roundTripMillis = 10).copy(
      reads = bodies.map { body =>
        read(body, 4) -> (if (body == 1024) reads else reads.filterNot(_ == KafkaStream))
      } :+ read(1024, 32) -> withoutKafka(reads),
      writes = bodies.map(written(_) -> writes.filterNot(_ == KafkaStreamWrite)),
      // Six pairs of one size take nine minutes.
      compared = Seq(written(1024) -> 6),
      firsts = Seq(read(1024, 4)),
      coldRuns = 1,
      triggers = 20,
      steady = bodies.flatMap(steady)
    )

  lazy val complete: Seq[Plan] = {
    val far = plan(Plan.complete, roundTripMillis = 50)
    def main(cases: Seq[(Workload, Seq[Contender])]) = cases.filter { case (workload, _) => workload.bodyBytes == 1024 }
    Seq(usual, plan(Plan.complete, roundTripMillis = 0), far.copy(reads = main(far.reads), writes = main(far.writes)))
  }

  /** The usual distance as in a full run, and what the distance costs us. */
  lazy val alone: Seq[Plan] = Seq(usual, plan(Plan.complete, roundTripMillis = 0)).map(_.copy(name = "cloud"))

  /** What [[alone]] measures last: the long streams, and what the distance costs us. */
  lazy val longStreams: Seq[Plan] = Seq(
    usual.copy(reads = Nil, writes = Nil, compared = Nil, firsts = Nil, coldRuns = 0, triggers = 0),
    plan(Plan.complete, roundTripMillis = 0)
  ).map(_.copy(name = "streams"))

  /** The main size only, and not much of it: Kafka's connector needs most of the time. */
  lazy val quick: Plan = {
    val short = Workload(1024, 4, 30000 * 5, 30000)
    plan(Plan.quick, roundTripMillis = 10).copy(
      warmUpPasses = 2,
      readPasses = Passes(warmUp = 1, counted = 2),
      main = short,
      // Its batch queries are no faster than its streams.
      reads = Seq(short -> reads.filterNot(_ == KafkaBatchRead)),
      writes = Seq(short.copy(events = 20000 * 5, eventsPerBatch = 20000) -> writes.filterNot(_ == KafkaBatchWrite))
    )
  }

  lazy val smoke: Plan = plan(Plan.smoke, roundTripMillis = 10).copy(
    warmUpPasses = Plan.smoke.warmUpPasses,
    writePasses = Plan.smoke.writePasses,
    main = Plan.smoke.main,
    reads = Seq(Plan.smoke.main -> reads),
    writes = Seq(Plan.smoke.main -> writes),
    steady = Seq(streams, streamWrites).map(Workload(100, 4, 110 * 40, 40, steady = true) -> _)
  )
}
