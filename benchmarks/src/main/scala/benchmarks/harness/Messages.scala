package benchmarks.harness

import ujson.Value

/** What a worker is asked to do with a workload. */
sealed abstract class Task(val name: String)
object Task {

  /** All events, measured. */
  case object Pass extends Task("pass")

  /** All events, counted: number and bytes must be right. */
  case object Check extends Task("check")

  /** Until the first event is there. */
  case object First extends Task("first")

  /** Micro-batches of one event each. */
  case object OneEventBatches extends Task("one event batches")

  /** A stream that finds nothing, again and again. */
  case object IdleTriggers extends Task("idle triggers")

  val all: Seq[Task] = Seq(Pass, Check, First, OneEventBatches, IdleTriggers)
}

/**
 * One line from the harness to a worker.
 *
 * @param server the hub's connection string without entity, or the broker's address
 * @param hub    hub or topic
 */
final case class Request(task: Task, server: String, hub: String, workload: Workload) {
  def json: ujson.Obj =
    ujson.Obj("task" -> task.name, "server" -> server, "hub" -> hub, "workload" -> workload.json)
}

object Request {
  def parse(json: Value): Request = Request(
    Task.all.find(_.name == json("task").str).get,
    json("server").str,
    json("hub").str,
    Workload.parse(json("workload"))
  )
}

/**
 * One line from a worker to the harness: what it used for a task.
 *
 * @param triggers   of a stream: duration of each micro-batch that counts, in milliseconds, by Spark's own name of the step
 * @param peakRssBytes most memory that the process held during the task
 * @param jitSeconds that the JIT compiler ran; a warm process has little of it
 * @param going      of a stream of several micro-batches: events and seconds of those that count
 * @param lastBatchMillis of such a stream: its last micro-batch, which reads up to the end of what there is
 */
final case class Used(
    events: Long,
    seconds: Double,
    cpuSeconds: Double,
    allocatedBytes: Long,
    peakRssBytes: Long,
    triggers: Seq[Map[String, Long]],
    jitSeconds: Double = 0,
    going: Option[(Long, Double)] = None,
    lastBatchMillis: Option[Long] = None
) {

  /** Of a stream once it is going; of anything else from its start to its end. */
  def eventsPerSecond: Double = {
    val (counted, time) = going.getOrElse((events, seconds))
    counted / time
  }

  /** Time of the JIT compiler beside the time of the task; both of its threads at once make it more than 1. */
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
    "going" -> going.fold[Value](ujson.Null) { case (counted, time) => ujson.Arr(counted.toDouble, time) },
    "lastBatchMillis" -> lastBatchMillis.fold[Value](ujson.Null)(millis => ujson.Num(millis.toDouble))
  )
}

object Used {
  def parse(json: Value): Used = Used(
    json("events").num.toLong,
    json("seconds").num,
    json("cpuSeconds").num,
    json("allocatedBytes").num.toLong,
    json("peakRssBytes").num.toLong,
    json("triggers").arr.toSeq.map(_.obj.map { case (step, millis) => step -> millis.num.toLong }.toMap),
    json("jitSeconds").num,
    if (json("going").isNull) None else Some((json("going")(0).num.toLong, json("going")(1).num)),
    if (json("lastBatchMillis").isNull) None else Some(json("lastBatchMillis").num.toLong)
  )
}
