package benchmarks.harness

import benchmarks.server.{Fill, HubProcess, KafkaProcess, Server}

/**
 * One measured pass.
 *
 * @param serverCpuSeconds of the hub or the broker
 * @param otherCores       cores that programs outside of the benchmark used meanwhile
 */
final case class Pass(used: Used, serverCpuSeconds: Double, otherCores: Double) {
  def eventsPerSecond: Double = used.eventsPerSecond
  def cpuMicrosPerEvent: Double = used.cpuSeconds * 1e6 / used.events
  def serverCpuMicrosPerEvent: Double = serverCpuSeconds * 1e6 / used.events
  def serverCores: Double = serverCpuSeconds / used.seconds
}

/** Hub, broker and the lanes' processes, and passes through them that take turns. */
final class Bench(lanes: Seq[Lane]) extends AutoCloseable {

  val hub = new HubProcess
  val kafka: Option[KafkaProcess] = if (lanes.exists(_.system == Candidate.Kafka)) Some(new KafkaProcess) else None
  private var names = Seq.empty[(Workload, String)]
  private var workers = Map.empty[Lane, WorkerProcess]

  /** Creates a hub and a topic for a workload, empty and under a name that was never used, so that nothing is cached. */
  def create(workload: Workload): Unit = {
    val name = s"${workload.bodyBytes}-bytes-${workload.partitions}-partitions-${names.size + 1}"
    names :+= workload -> name
    servers.foreach(_.create(name, workload.partitions))
  }

  /** Creates them, with the events of the workload in those that the lanes read. */
  def fill(workload: Workload, readers: Seq[Lane]): Unit = {
    create(workload)
    put(workload, workload, readers)
  }

  /** Adds events to what was created for a workload. */
  def put(workload: Workload, events: Workload, readers: Seq[Lane]): Unit = {
    val read = readers.map(server).toSet
    if (read(hub)) Fill.hub(hub, events, hubOf(workload))
    kafka.filter(read).foreach(Fill.kafka(_, events, hubOf(workload)))
  }

  def drop(workload: Workload): Unit = servers.foreach(_.delete(hubOf(workload)))

  /** Name of the hub, and of the topic, that was last created for a workload. */
  def hubOf(workload: Workload): String = names.reverseIterator.collectFirst { case (`workload`, name) =>
    name
  }.getOrElse(
    throw new IllegalStateException(s"nothing was created for $workload")
  )

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
    measured(worker, lane, task, workload)
  }

  /** One pass of a process that has only so much heap, and ends with it. */
  def runWithHeap(heapMegabytes: Int, lane: Lane, workload: Workload): Pass = {
    val worker = new WorkerProcess(lane, heapMegabytes)
    try measured(worker, lane, Task.Pass, workload)
    finally worker.close()
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

  private def processes: Seq[ProcessHandle] = workers.values.map(_.process).toSeq

  private def measured(worker: WorkerProcess, lane: Lane, task: Task, workload: Workload): Pass = {
    val target = server(lane)
    val outside =
      new OutsideLoad((servers.map(_.process) ++ processes :+ worker.process :+ ProcessHandle.current).distinct)
    val serving = target.cpuSeconds
    val used = worker.run(Request(task, target.address, hubOf(workload), workload))
    Pass(used, target.cpuSeconds - serving, outside.cores)
  }
}
