package benchmarks.harness

import ujson.Value

/** A task of a worker, with a workload. */
sealed abstract class Task(val name: String)
object Task {

  /** Reads or writes all events, measured. */
  case object Pass extends Task("pass")

  /** Reads or writes all events and checks their number and bytes. */
  case object Check extends Task("check")

  /** Measures the time to the first event. */
  case object FirstEvent extends Task("first")

  /** Micro-batches of one event each. */
  case object OneEventBatches extends Task("one event batches")

  /** Triggers of a stream without events. */
  case object IdleTriggers extends Task("idle triggers")

  val all: Seq[Task] = Seq(Pass, Check, FirstEvent, OneEventBatches, IdleTriggers)
}

/**
 * One line from the harness to a worker.
 *
 * @param server connection string of the hub's namespace, or address of the broker
 * @param hub    name of the hub or topic
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
