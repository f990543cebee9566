package org.apache.spark.sql.eventhubs.sim

import java.util.concurrent.{ExecutionException, Executor, Future}

import scala.collection.mutable

import org.apache.spark.eventhubs._
import org.apache.spark.eventhubs.executor.{ExecutorResources, KnownHubs}
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import org.apache.spark.eventhubs.rdd.{EventRangeIterator, OffsetRange}
import org.apache.spark.eventhubs.sim._
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset
import org.apache.spark.sql.eventhubs.hubs.RateLimit
import org.apache.spark.sql.eventhubs.planning._

/**
 * A streaming query, as Spark runs it: plan, write the offset, run the tasks, write to the sink, commit. Spark and the
 * sink are simulated; planner and tasks are the connector's.
 */
private[sim] final class ReadQuery(
    world: World,
    hub: SimHub,
    network: SimNetwork,
    shape: RunShape,
    outagesUntil: Long
) {

  import ReadQuery._

  private val conf = MemoryFiles.conf(world)
  private val model = new ReadModel(hub, shape.isCompacted)
  private val errors = new ErrorModel(hub, model, outagesUntil)

  // The checkpoint folder and the sink outlive the query's processes.
  private var initial = Option.empty[EventHubsSourceOffset]
  private val offsets = mutable.ArrayBuffer.empty[EventHubsSourceOffset]
  private var committed = -1
  private val written = mutable.HashMap.empty[Int, Seq[RangeResult]]

  // Of the processes.
  private val clients = mutable.ArrayBuffer.empty[SimClient]
  private var driver: ExecutorResources = newProcess()
  private var executors: IndexedSeq[ExecutorResources] = IndexedSeq.fill(2)(newProcess())

  /** Losses that the driver has reported since the last batch was written. */
  private var reportedLosses = 0L
  private var isLenient = !shape.failOnDataLoss
  private var lenientUntilBatch = -1

  /** The task that runs was killed. */
  var isTaskKilled = false

  /** The query is stopped, and starts again. */
  var isStopped = false

  /** Whether the next task runs on another executor than the one before it. */
  var isMoved = false

  def committedEvents: Long = model.committedEvents
  def lostEvents: Long = model.lostEvents
  def batches: Int = committed + 1
  var restarts = 0

  def position(partition: Int): Long = model.position(partition)

  /** Runs until the world ends. */
  def run(): Unit = while (true) {
    try {
      if (restarts > 0) world.runUntil(world.now + world.between(500, 10000))
      isStopped = false
      isTaskKilled = false
      incarnation()
    } catch {
      case World.DriverCrash | World.ExecutorCrash => crashed()
      case failed: EventHubsException => judge(failed)
      case _: InterruptedException => ()
    }
    restarts += 1
  }

  private def judge(failed: EventHubsException): Unit = {
    val kind = failed.getCondition
    if (!errors.isTrue(kind)) throw new Violation("false error", s"$kind: ${failed.getMessage.take(400)}")
    if (kind.startsWith("EVENTHUBS_DATA_LOSS")) {
      // The user accepts the loss for the next batch.
      isLenient = true
      lenientUntilBatch = committed + 1
    }
  }

  private def newProcess() =
    new ExecutorResources(settings => newClient(settings), _ => throw new IllegalStateException, world.clock)

  private def newClient(settings: options.ConnectionSettings) = {
    val client = new SimClient(hub, network, settings)
    clients += client
    client
  }

  /** All processes are dead. After a stop they are not: the query starts again in the same application. */
  private def crashed(): Unit = {
    world.forgetInterruption()
    clients.foreach(_.orphan())
    clients.clear()
    driver = newProcess()
    executors = IndexedSeq.fill(2)(newProcess())
  }

  private def settings: ReadSettings = ReadSettings.parse(
    Map(
      "eventhubs.connectionString" -> Connection,
      "eventhubs.startingPosition" -> (if (shape.startsAtEarliest) "earliest" else "latest"),
      "eventhubs.compacted" -> shape.isCompacted.toString,
      "failOnDataLoss" -> (!isLenient).toString
    ) ++ shape.maxEvents.map("maxEventsPerTrigger" -> _.toString),
    ReadMode.Stream
  )

  private def incarnation(): Unit = {
    val current = settings
    val info = new PartitionInfoReader(current, driver.clients, new KnownHubs(world.clock, InOneThread), world.clock)
    try {
      val lost = (count: Long) => reportedLosses += math.max(1, count)
      val policy = new DataLossPolicy(current.connection.hub, current.consumerGroup, !isLenient, lost, lost)
      val identities = new HubIdentityTracker(
        new HubIdentityFile("sim:///source/0", conf),
        "sim:///source/0",
        current.connection.hub
      )
      val planner = new HubPlanner(
        current,
        info,
        FirstOffset,
        identities,
        new PositionResolver(current, info.client, policy),
        policy,
        None,
        partition => hasRead(partition)
      )
      hasReadNow.clear()
      val first = planner.initialOffset
      if (offsets.length > committed + 1) runBatch(planner, first, current)
      while (!isStopped && !(isLenient && shape.failOnDataLoss && committed >= lenientUntilBatch)) {
        trigger(planner, first, current)
        world.runUntil(world.now + shape.triggerMillis)
      }
      isLenient = !shape.failOnDataLoss
    } finally info.close()
  }

  private val hasReadNow = mutable.HashSet.empty[Int]
  private def hasRead(partition: Int): Boolean = hasReadNow(partition)

  private object FirstOffset extends InitialOffsets {
    override def getOrElseAdd(resolve: => EventHubsSourceOffset): EventHubsSourceOffset = initial.getOrElse {
      val resolved = resolve
      world.step()
      initial = Some(resolved)
      model.starts(resolved.of(HubName))
      resolved
    }
  }

  private def trigger(planner: HubPlanner, first: EventHubsSourceOffset, current: ReadSettings): Unit = {
    world.batchBegins()
    val start = if (committed < 0) first else offsets(committed)
    val limit = current.maxEventsPerTrigger
    val backlog = planner.backlogAfter(start, limit)
    val shares = limit.fold(backlog.events)(RateLimit.fairShare(_, backlog.events))
    val end = planner.endOf(backlog, shares)
    if (end.json != start.json) {
      world.step()
      offsets += end
      runBatch(planner, first, current)
    }
    if (world.chance(0.5)) { val _ = planner.bounds() }
  }

  private def runBatch(
      planner: HubPlanner,
      first: EventHubsSourceOffset,
      current: ReadSettings
  ): Unit = {
    val batch = committed + 1
    val start = if (committed < 0) first else offsets(committed)
    val end = offsets(batch)
    val ranges = planner.ranges(start, end)
    val withheld = planner.withheld(start, ranges)
    planner.noteRun(end, ranges, withheld)
    val generation = planner.resolveGeneration()
    val results = ranges.map(range => task(range, current, generation))
    world.step()
    written.get(batch) match {
      case Some(before) => model.checkRepeated(batch.toLong, before, results)
      case None =>
        model.commit(batch.toLong, results, reportedLosses)
        reportedLosses = 0
        written(batch) = results
        written.remove(batch - 2)
    }
    world.step()
    committed = batch
  }

  /** Spark repeats a task that fails, up to three times. */
  private def task(range: OffsetRange, current: ReadSettings, generation: HubGeneration): RangeResult = {
    def attempt(number: Int): RangeResult = {
      val home = (range.partitionId + (if (isMoved) 1 else 0)) % executors.length
      isMoved = false
      try read(range, current, generation, number, executors(home))
      catch {
        case World.ExecutorCrash =>
          world.forgetInterruption()
          executors = executors.updated(home, newProcess())
          if (number >= 3) throw new InterruptedException else attempt(number + 1)
        case failed: EventHubsException if number < 3 && !failed.getCondition.startsWith("EVENTHUBS_DATA_LOSS") =>
          attempt(number + 1)
        case _: InterruptedException if isTaskKilled && number < 3 =>
          isTaskKilled = false
          attempt(number + 1)
      }
    }
    val result = attempt(0)
    model.checkTask(result)
    if (result.rows.nonEmpty) hasReadNow += range.partitionId
    result
  }

  private def read(
      range: OffsetRange,
      current: ReadSettings,
      generation: HubGeneration,
      attempt: Int,
      executor: ExecutorResources
  ): RangeResult = {
    val context = new SimTask(world, attempt, () => isTaskKilled || isStopped)
    var lost, skipped = 0L
    val rows = mutable.ArrayBuffer.empty[StoredEvent]
    var failure = Option.empty[Throwable]
    try {
      val events = new EventRangeIterator(
        range,
        current,
        executor,
        context,
        world.chance(0.9),
        generation,
        lost += _,
        skipped += _
      )
      while (events.hasNext) {
        val event = events.next()
        val stored = hub.stored(java.nio.ByteBuffer.wrap(event.body).getLong)
        model.checkRow(event.sequenceNumber, event.offset, stored)
        rows += stored
      }
      val planned = generation.created.map(_.time.toEpochMilli - SimHub.EpochMillis).getOrElse(-1L)
      RangeResult(
        range,
        hub.generationAt(planned),
        generation.epochOf(range.partitionId).getOrElse(0),
        rows.toSeq,
        lost,
        skipped,
        events.absent
      )
    } catch {
      case failed: Throwable =>
        failure = Some(failed)
        throw failed
    } finally if (!failure.contains(World.DriverCrash) && !failure.contains(World.ExecutorCrash))
        context.markTaskCompleted(failure)
  }

  /** Once faults are over and the time for recovery too. */
  def checkEnd(ends: Map[Int, Long]): Unit = {
    ends.foreach { case (partition, end) =>
      if (model.position(partition) < end)
        throw new Violation("no progress", s"partition $partition is at ${model.position(partition)}, not at $end")
    }
    model.checkEnd()
  }
}

private object ReadQuery {

  val HubName = "telemetry"
  private val Connection = "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=reader;" +
    s"SharedAccessKey=a2V5;EntityPath=$HubName"

  /** Routine questions are asked in the planner's thread, and a crash in one of them is the planner's. */
  private val InOneThread: Executor = {
    case question: Future[_] with Runnable =>
      question.run()
      try { val _ = question.get() }
      catch { case failed: ExecutionException => throw failed.getCause }
    case work => work.run()
  }
}
