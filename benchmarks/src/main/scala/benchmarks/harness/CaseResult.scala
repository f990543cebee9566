package benchmarks.harness

/**
 * The measurements of one contender with one workload.
 *
 * @param passes       the counted passes
 * @param fixedSeconds durations of passes over one event per partition: starting the job, opening the links
 * @param firstSeconds times to the first event, warm
 * @param profile      the network
 * @param ofSdk        rate divided by the SDK's, if the SDK was measured in turn
 * @param more         additional fields of the results
 */
final case class CaseResult(
    contender: Contender,
    workload: Workload,
    passes: Seq[Pass],
    fixedSeconds: Seq[Double] = Nil,
    firstSeconds: Seq[Double] = Nil,
    ofSdk: Option[Double] = None,
    more: Map[String, ujson.Value] = Map.empty,
    profile: Profile = Profile.Loopback
) {

  private val counted = Statistics.quiet(passes)(_.otherCores)

  def eventsPerSecond: Double = median(_.eventsPerSecond)

  /** One object of `latest.json`. */
  def json: ujson.Obj = {
    val isStream = contender.operation == Operation.StreamRead || contender.operation == Operation.StreamWrite
    val fields = profile.fields ++ Seq[(String, ujson.Value)](
      "steady" -> workload.steady,
      "name" -> contender.operation.name,
      "system" -> contender.client.name,
      "apiVersion" -> apiVersion.fold[ujson.Value](ujson.Null)(ujson.Str(_)),
      "deliveryGuarantee" -> (if (contender.variant.contains(Variant.ExactlyOnce)) ujson.Str("exactly-once")
                              else ujson.Null),
      "maxPartitions" -> (if (contender.variant.contains(Variant.FourTasks)) ujson.Num(4) else ujson.Null),
      "bodyBytes" -> workload.bodyBytes,
      "partitions" -> workload.partitions,
      "sink" -> (if (contender.operation.writes || contender.client == Client.Sdk) ujson.Null else workload.sink.name),
      "content" -> workload.content.name,
      "events" -> workload.events.toDouble,
      "eventsPerBatch" -> (if (isStream) ujson.Num(workload.eventsPerBatch.toDouble) else ujson.Null),
      "eventsPerSecond" -> rounded(eventsPerSecond, 0),
      "megabytesPerSecond" -> rounded(eventsPerSecond * workload.bodyBytes / 1e6, 1),
      "cpuMicrosPerEvent" -> rounded(median(_.cpuMicrosPerEvent), 3),
      "cpuMicrosPerEventOfThreads" -> cpuOfThreads,
      "allocatedBytesPerEvent" -> rounded(median(pass => pass.usage.allocatedBytes.toDouble / pass.usage.events), 0),
      "peakRssBytes" -> rounded(passes.map(_.usage.peakRssBytes).max.toDouble, 0),
      "jitShare" -> rounded(median(_.usage.jitShare), 2),
      "spread" -> rounded(Statistics.spread(counted.map(_.eventsPerSecond)), 3),
      "passes" -> passes.size,
      "quietPasses" -> counted.size,
      "eventsPerSecondOfPasses" -> passes.map(pass => rounded(pass.eventsPerSecond, 0)),
      "serverCpuMicrosPerEvent" -> rounded(median(_.serverCpuMicrosPerEvent), 3),
      "serverCores" -> rounded(median(_.serverCores), 2),
      "proxyCores" -> rounded(median(pass => pass.proxyCpuSeconds / pass.usage.seconds), 2),
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

  /** The rest of the process's time is that of the garbage collector and the JIT compiler. */
  private def cpuOfThreads: ujson.Obj = {
    val groups = counted.flatMap(_.usage.cpuOfThreads.keys).distinct.sorted
    ujson.Obj.from(groups.map { group =>
      group -> rounded(median(pass => pass.usage.cpuOfThreads.getOrElse(group, 0.0) * 1e6 / pass.usage.events), 3)
    })
  }

  /** The chosen version of Spark's API, or the default one. */
  private def apiVersion: Option[String] = contender match {
    case Contender(_, Client.Sdk, _, _) => None
    case Contender(Operation.StreamRead | Operation.StreamWrite, Client.Kafka, _, _) => Some("v2")
    case Contender(_, _, chosen, _) => chosen.orElse(Some("v1"))
  }

  /** The median duration of each step of a micro-batch. */
  private def triggers: Option[(String, ujson.Value)] = {
    val steps = counted.flatMap(_.usage.triggers)
    Option.when(steps.nonEmpty) {
      val medians = steps.flatMap(_.keys).distinct.sorted.map { step =>
        step -> rounded(Statistics.median(steps.flatMap(_.get(step)).map(_.toDouble)), 1)
      }
      "microBatchMillis" -> ujson.Obj.from(medians)
    }
  }

  /** The duration of a stream's last micro-batch. */
  private def lastBatch: Option[(String, ujson.Value)] = {
    val millis = counted.flatMap(_.usage.lastBatchMillis)
    Option.when(millis.nonEmpty)("lastMicroBatchMillis" -> rounded(Statistics.median(millis.map(_.toDouble)), 0))
  }

  private def millis(name: String, seconds: Seq[Double]): Option[(String, ujson.Value)] =
    Option.when(seconds.nonEmpty)(name -> rounded(Statistics.median(seconds) * 1000, 1))

  private def median(value: Pass => Double): Double = Statistics.median(counted.map(value))

  private def rounded(value: Double, digits: Int): ujson.Value =
    if (value.isNaN || value.isInfinite) ujson.Null
    else ujson.Num(BigDecimal(value).setScale(digits, BigDecimal.RoundingMode.HALF_UP).toDouble)
}
