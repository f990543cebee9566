package benchmarks.harness

/**
 * What was measured of one lane and workload.
 *
 * @param passes       all that count
 * @param fixedSeconds of a pass over one event per partition: starting the job, opening the links
 * @param firstSeconds until the first event is there, warm
 * @param ofSdk        rate as a part of the SDK's alone, when that was measured beside
 * @param more         further fields of the results
 */
final case class CaseResult(
    lane: Lane,
    workload: Workload,
    passes: Seq[Pass],
    fixedSeconds: Seq[Double] = Nil,
    firstSeconds: Seq[Double] = Nil,
    ofSdk: Option[Double] = None,
    more: Map[String, ujson.Value] = Map.empty
) {

  private val counted = Statistics.quiet(passes)(_.otherCores)

  def eventsPerSecond: Double = median(_.eventsPerSecond)

  /** One object of `latest.json`. */
  def json: ujson.Obj = {
    val isStream = lane.operation == Operation.StreamRead || lane.operation == Operation.StreamWrite
    val fields = Seq[(String, ujson.Value)](
      "name" -> lane.operation.name,
      "system" -> lane.system.name,
      "face" -> face.fold[ujson.Value](ujson.Null)(ujson.Str(_)),
      "deliveryGuarantee" -> (if (lane.variant.contains(Variant.ExactlyOnce)) ujson.Str("exactly-once")
                              else ujson.Null),
      "maxPartitions" -> (if (lane.variant.contains(Variant.FourTasks)) ujson.Num(4) else ujson.Null),
      "bodyBytes" -> workload.bodyBytes,
      "partitions" -> workload.partitions,
      "sink" -> (if (lane.operation.writes || lane.system == Candidate.Sdk) ujson.Null else workload.sink.name),
      "content" -> workload.content.name,
      "events" -> workload.events.toDouble,
      "eventsPerBatch" -> (if (isStream) ujson.Num(workload.eventsPerBatch.toDouble) else ujson.Null),
      "eventsPerSecond" -> rounded(eventsPerSecond, 0),
      "megabytesPerSecond" -> rounded(eventsPerSecond * workload.bodyBytes / 1e6, 1),
      "cpuMicrosPerEvent" -> rounded(median(_.cpuMicrosPerEvent), 3),
      "allocatedBytesPerEvent" -> rounded(median(pass => pass.used.allocatedBytes.toDouble / pass.used.events), 0),
      "peakRssBytes" -> rounded(passes.map(_.used.peakRssBytes).max.toDouble, 0),
      "jitShare" -> rounded(median(_.used.jitShare), 2),
      "spread" -> rounded(Statistics.spread(counted.map(_.eventsPerSecond)), 3),
      "passes" -> passes.size,
      "quietPasses" -> counted.size,
      "eventsPerSecondOfPasses" -> passes.map(pass => rounded(pass.eventsPerSecond, 0)),
      "serverCpuMicrosPerEvent" -> rounded(median(_.serverCpuMicrosPerEvent), 3),
      "serverCores" -> rounded(median(_.serverCores), 2),
      "otherCores" -> rounded(median(_.otherCores), 2)
    ) ++
      ofSdk.map(ratio => "ofSdk" -> rounded(ratio, 3)) ++
      millis("fixedMillis", fixedSeconds) ++
      millis("timeToFirstEventMillis", firstSeconds) ++
      triggers ++
      lastBatch ++
      more
    ujson.Obj.from(fields)
  }

  /** Spark's interface that is used when it is not chosen. */
  private def face: Option[String] = lane match {
    case Lane(_, Candidate.Sdk, _, _) => None
    case Lane(Operation.StreamRead | Operation.StreamWrite, Candidate.Kafka, _, _) => Some("v2")
    case Lane(_, _, chosen, _) => chosen.orElse(Some("v1"))
  }

  /** Where the time of a micro-batch goes: the median of each of its steps. */
  private def triggers: Option[(String, ujson.Value)] = {
    val steps = counted.flatMap(_.used.triggers)
    Option.when(steps.nonEmpty) {
      val medians = steps.flatMap(_.keys).distinct.sorted.map { step =>
        step -> rounded(Statistics.median(steps.flatMap(_.get(step)).map(_.toDouble)), 1)
      }
      "microBatchMillis" -> ujson.Obj.from(medians)
    }
  }

  /** Of a stream, what its last micro-batch took. */
  private def lastBatch: Option[(String, ujson.Value)] = {
    val millis = counted.flatMap(_.used.lastBatchMillis)
    Option.when(millis.nonEmpty)("lastMicroBatchMillis" -> rounded(Statistics.median(millis.map(_.toDouble)), 0))
  }

  private def millis(name: String, seconds: Seq[Double]): Option[(String, ujson.Value)] =
    Option.when(seconds.nonEmpty)(name -> rounded(Statistics.median(seconds) * 1000, 1))

  private def median(value: Pass => Double): Double = Statistics.median(counted.map(value))

  private def rounded(value: Double, digits: Int): ujson.Value =
    if (value.isNaN || value.isInfinite) ujson.Null
    else ujson.Num(BigDecimal(value).setScale(digits, BigDecimal.RoundingMode.HALF_UP).toDouble)
}
