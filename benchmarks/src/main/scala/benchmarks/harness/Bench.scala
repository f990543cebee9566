package benchmarks.harness

import benchmarks.server.{Fill, HubProcess, KafkaProcess, ProcessCpu, Server}

/**
 * One measured pass.
 *
 * @param serverCpuSeconds of the hub or the broker
 * @param otherCores       cores that programs outside of the benchmark used meanwhile
 */
final case class Pass(used: Used, serverCpuSeconds: Double, otherCores: Double) {
  def eventsPerSecond: Double = used.events / used.seconds
  def cpuMicrosPerEvent: Double = used.cpuSeconds * 1e6 / used.events
  def serverCpuMicrosPerEvent: Double = serverCpuSeconds * 1e6 / used.events
  def serverCores: Double = serverCpuSeconds / used.seconds
}

/** Hub, broker and the lanes' processes, and passes through them that take turns. */
final class Bench(lanes: Seq[Lane]) extends AutoCloseable {

  val hub = new HubProcess
  val kafka: Option[KafkaProcess] = if (lanes.exists(_.system == Candidate.Kafka)) Some(new KafkaProcess) else None
  private var workers = Map.empty[Lane, WorkerProcess]

  /** Creates and fills hub and topic with the events of a workload. */
  def fill(workload: Workload): Unit = {
    servers.foreach(_.create(workload.hub, workload.partitions))
    Fill.hub(hub, workload)
    kafka.foreach(Fill.kafka(_, workload))
  }

  def drop(workload: Workload): Unit = servers.foreach(_.delete(workload.hub))

  def servers: Seq[Server] = hub +: kafka.toSeq

  def server(lane: Lane): Server = if (lane.system == Candidate.Kafka) kafka.get else hub

  /** One task on a lane, whose process is started when it is not there yet. */
  def run(lane: Lane, task: Task, workload: Workload): Pass = {
    val worker = workers.getOrElse(
      lane, {
        val started = new WorkerProcess(lane)
        workers += lane -> started
        started
      }
    )
    val target = server(lane)
    val own = Seq(worker.process, hub.process) ++ kafka.map(_.process) :+ ProcessHandle.current
    val (wall, busy, ours, serving) =
      (System.nanoTime(), MachineCpu.busySeconds(), own.map(ProcessCpu.seconds).sum, target.cpuSeconds)
    val used = worker.run(Request(task, target.address, workload.hub, workload))
    val seconds = (System.nanoTime() - wall) / 1e9
    val others = MachineCpu.busySeconds() - busy - (own.map(ProcessCpu.seconds).sum - ours)
    Pass(used, target.cpuSeconds - serving, math.max(0, others / seconds))
  }

  /** Ends the process of a lane, so that the next task finds a cold one. */
  def end(lane: Lane): Unit = {
    workers.get(lane).foreach(_.close())
    workers -= lane
  }

  override def close(): Unit = {
    workers.values.foreach(_.close())
    servers.foreach(_.close())
  }
}
