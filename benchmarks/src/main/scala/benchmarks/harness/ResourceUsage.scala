package benchmarks.harness

import ujson.Value

/**
 * One line from a worker to the harness: time, CPU and memory of a task.
 *
 * @param triggers   of a stream: milliseconds of each step of each counted micro-batch, by Spark's name of the step
 * @param peakRssBytes highest resident memory of the process during the task
 * @param jitSeconds time of the JIT compiler; small in a warm process
 * @param steady      of a stream of several micro-batches: events and seconds of the counted ones
 * @param cpuOfThreads CPU seconds of the threads of `tasks`, of the `client` library, and of the `driver`
 * @param lastBatchMillis of such a stream: duration of its last micro-batch, which reads up to the end of the log
 */
final case class ResourceUsage(
    events: Long,
    seconds: Double,
    cpuSeconds: Double,
    allocatedBytes: Long,
    peakRssBytes: Long,
    triggers: Seq[Map[String, Long]],
    jitSeconds: Double = 0,
    steady: Option[(Long, Double)] = None,
    lastBatchMillis: Option[Long] = None,
    cpuOfThreads: Map[String, Double] = Map.empty
) {

  /** A stream's rate in its steady state; the rate from start to end of any other task. */
  def eventsPerSecond: Double = {
    val (counted, time) = steady.getOrElse((events, seconds))
    counted / time
  }

  /** Time of the JIT compiler divided by the time of the task; above 1 when both of its threads run. */
  def jitShare: Double = jitSeconds / seconds

  def json: ujson.Obj = ujson.Obj(
    "events" -> events.toDouble,
    "seconds" -> seconds,
    "cpuSeconds" -> cpuSeconds,
    "allocatedBytes" -> allocatedBytes.toDouble,
    "peakRssBytes" -> peakRssBytes.toDouble,
    "triggers" -> triggers.map(steps =>
      ujson.Obj.from(steps.map { case (step, millis) => step -> ujson.Num(millis.toDouble) })
    ),
    "jitSeconds" -> jitSeconds,
    "steady" -> steady.fold[Value](ujson.Null) { case (counted, time) => ujson.Arr(counted.toDouble, time) },
    "lastBatchMillis" -> lastBatchMillis.fold[Value](ujson.Null)(millis => ujson.Num(millis.toDouble)),
    "cpuOfThreads" -> ujson.Obj.from(cpuOfThreads.map { case (group, seconds) => group -> ujson.Num(seconds) })
  )
}

object ResourceUsage {
  def parse(json: Value): ResourceUsage = ResourceUsage(
    json("events").num.toLong,
    json("seconds").num,
    json("cpuSeconds").num,
    json("allocatedBytes").num.toLong,
    json("peakRssBytes").num.toLong,
    json("triggers").arr.toSeq.map(_.obj.map { case (step, millis) => step -> millis.num.toLong }.toMap),
    json("jitSeconds").num,
    if (json("steady").isNull) None else Some((json("steady")(0).num.toLong, json("steady")(1).num)),
    if (json("lastBatchMillis").isNull) None else Some(json("lastBatchMillis").num.toLong),
    json("cpuOfThreads").obj.map { case (group, seconds) => group -> seconds.num }.toMap
  )
}
