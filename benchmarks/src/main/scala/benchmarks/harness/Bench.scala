package benchmarks.harness

import benchmarks.server._

/**
 * One measured pass.
 *
 * @param serverCpuSeconds CPU time of the hub or the broker
 * @param otherCores       cores that other programs used during the pass
 * @param proxyCpuSeconds  CPU time of the proxy of the profile `cloud`
 */
final case class Pass(
    usage: ResourceUsage,
    serverCpuSeconds: Double,
    otherCores: Double,
    proxyCpuSeconds: Double = 0
) {
  def eventsPerSecond: Double = usage.eventsPerSecond
  def cpuMicrosPerEvent: Double = usage.cpuSeconds * 1e6 / usage.events
  def serverCpuMicrosPerEvent: Double = serverCpuSeconds * 1e6 / usage.events
  def serverCores: Double = serverCpuSeconds / usage.seconds
}

/**
 * The processes of hub, broker and contenders, and the passes that they run.
 *
 * @param heapGigabytes memory of the hub for events
 */
final class Bench(contenders: Seq[Contender], val profile: Profile = Profile.Loopback, heapGigabytes: Int = 5)
    extends AutoCloseable {

  private val certificate = Option.when(profile.isCloud)(new ServerCertificate)
  private val cloud = certificate.map(Cloud(_, profile.roundTripMillis / 2.0))

  val hub = new HubProcess(cloud = cloud, heapGigabytes = heapGigabytes)
  val kafka: Option[KafkaProcess] = Option.when(contenders.exists(_.client == Client.Kafka))(new KafkaProcess(cloud))
  private var names = Seq.empty[(Workload, String)]
  private var workers = Map.empty[Contender, WorkerProcess]

  /** Creates an empty hub and topic for a workload, with a new name, so that nothing is cached. */
  def create(workload: Workload): Unit = {
    val name = s"${workload.bodyBytes}-bytes-${workload.partitions}-partitions-${names.size + 1}"
    names :+= workload -> name
    servers.foreach(_.create(name, workload.partitions))
  }

  /** Creates hub and topic, and fills those that the contenders read. */
  def fill(workload: Workload, readers: Seq[Contender]): Unit = {
    create(workload)
    put(workload, workload, readers)
  }

  /** Adds events to the hub and topic of a workload. */
  def put(workload: Workload, events: Workload, readers: Seq[Contender]): Unit = {
    val read = readers.map(server).toSet
    if (read(hub)) SampleEvents.sendToHub(hub, events, hubOf(workload))
    kafka.filter(read).foreach(SampleEvents.sendToKafka(_, events, hubOf(workload)))
  }

  def drop(workload: Workload): Unit = servers.foreach(_.delete(hubOf(workload)))

  /** Name of the newest hub and topic of a workload. */
  def hubOf(workload: Workload): String = names.reverseIterator.collectFirst { case (`workload`, name) =>
    name
  }.getOrElse(
    throw new IllegalStateException(s"no hub was created for $workload")
  )

  def servers: Seq[Server] = hub +: kafka.toSeq

  def server(contender: Contender): Server = if (contender.client == Client.Kafka) kafka.get else hub

  /** Runs a task in the contender's process, and starts the process if necessary. */
  def run(contender: Contender, task: Task, workload: Workload): Pass = {
    val worker = workers.getOrElse(
      contender, {
        val started = new WorkerProcess(contender, javaOptions)
        workers += contender -> started
        started
      }
    )
    measured(worker, contender, task, workload)
  }

  /** One pass in a new process with a heap of this size. */
  def runWithHeap(heapMegabytes: Int, contender: Contender, workload: Workload): Pass = {
    val worker = new WorkerProcess(contender, javaOptions, heapMegabytes)
    try measured(worker, contender, Task.Pass, workload)
    finally worker.close()
  }

  /** Ends the contender's process, so that the next task starts a cold one. */
  def end(contender: Contender): Unit = {
    workers.get(contender).foreach(_.close())
    workers -= contender
  }

  override def close(): Unit = {
    workers.values.foreach(_.close())
    servers.foreach(_.close())
    certificate.foreach(_.close())
  }

  private def javaOptions: Seq[String] = certificate.toSeq.flatMap(_.javaOptions)

  private def processes: Seq[ProcessHandle] = workers.values.map(_.process).toSeq

  private def measured(worker: WorkerProcess, contender: Contender, task: Task, workload: Workload): Pass = {
    val target = server(contender)
    val otherLoad =
      new OtherLoad((servers.flatMap(_.processes) ++ processes :+ worker.process :+ ProcessHandle.current).distinct)
    val (serverBefore, proxyBefore) = (target.cpuSeconds, target.proxyCpuSeconds)
    val usage = worker.run(Request(task, target.clientAddress, hubOf(workload), workload))
    Pass(usage, target.cpuSeconds - serverBefore, otherLoad.cores, target.proxyCpuSeconds - proxyBefore)
  }
}
