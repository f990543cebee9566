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
 * @param triggers   duration of each micro-batch with data, in milliseconds, by Spark's own name of the step; without the first
 *                   where there are several
 * @param peakRssBytes most memory that the process held during the task
 * @param going      of a stream of several micro-batches: events and seconds of all but the first
 */
final case class Used(
    events: Long,
    seconds: Double,
    cpuSeconds: Double,
    allocatedBytes: Long,
    peakRssBytes: Long,
    triggers: Seq[Map[String, Long]],
    going: Option[(Long, Double)] = None
) {

  /** Of a stream once it is going; of anything else from its start to its end. */
  def eventsPerSecond: Double = {
    val (counted, time) = going.getOrElse((events, seconds))
    counted / time
  }

  def json: ujson.Obj = ujson.Obj(
    "events" -> events.toDouble,
    "seconds" -> seconds,
    "cpuSeconds" -> cpuSeconds,
    "allocatedBytes" -> allocatedBytes.toDouble,
    "peakRssBytes" -> peakRssBytes.toDouble,
    "triggers" -> triggers.map(steps =>
      ujson.Obj.from(steps.map { case (step, millis) => step -> ujson.Num(millis.toDouble) })
    ),
    "going" -> going.fold[Value](ujson.Null) { case (counted, time) => ujson.Arr(counted.toDouble, time) }
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
    if (json("going").isNull) None else Some((json("going")(0).num.toLong, json("going")(1).num))
  )
}
