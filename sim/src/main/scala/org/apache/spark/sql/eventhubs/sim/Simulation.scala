package org.apache.spark.sql.eventhubs.sim

import scala.util.Random

import org.apache.spark.eventhubs.sim._

/** How a run ended. */
private[sim] final case class RunOutcome(
    violation: Option[Violation],
    steps: Long,
    batches: Int,
    events: Long,
    lost: Long,
    restarts: Int
)

/** One run of a plan. */
private[sim] object Simulation {

  def run(plan: RunPlan): RunOutcome = {
    val seed = plan.seed + plan.salt * 1000003L
    val world = new World(seed)
    SharedRandom.set(seed)
    Random.setSeed(seed)
    val hub = new SimHub(world, plan.shape.partitions, plan.shape.isReplicated)
    val network = new SimNetwork(world)
    val quiet = plan.millis - RunPlan.QuietMillis
    val query = new ReadQuery(world, hub, network, plan.shape, outagesUntil = world.now + quiet + RunPlan.LongestFault)
    network.answersDrain = plan.shape.answersDrain
    var ends = Map.empty[Int, Long]
    world.endMillis = world.now + plan.millis
    (0 until plan.shape.partitions).foreach { partition =>
      (0L until world.between(0, 30)).foreach(_ => hub.append(partition, plan.shape.bodyBytes))
      traffic(world, hub, partition, plan.shape)
    }
    val effects = new Effects(world, hub, network, query, plan.shape)
    plan.faults.foreach(fault =>
      world.after(fault.atMillis) {
        fault.atStep.fold(effects(fault.what))(step => world.inNextBatch(step)(effects(fault.what)))
      }
    )
    world.after(quiet + 60000) {
      ends = hub.partitions.map(p => p.id -> p.latest).toMap
    }
    val violation =
      try {
        query.run()
        None
      } catch {
        case World.Over =>
          try {
            query.checkEnd(ends)
            None
          } catch { case found: Violation => Some(found) }
        case found: Violation => Some(found)
        case stuck: World.Stuck => Some(new Violation("hang", stuck.getMessage))
        case unexpected: Exception =>
          val at = unexpected.getStackTrace.take(12).mkString("\n    ")
          Some(new Violation("unexpected error", s"$unexpected\n    $at"))
      }
    RunOutcome(violation, world.stepCount, query.batches, query.committedEvents, query.lostEvents, query.restarts)
  }

  private def traffic(world: World, hub: SimHub, partition: Int, shape: RunShape): Unit =
    world.after(world.delay(1, shape.eventEveryMillis * 5)) {
      if (hub.partitions.lift(partition).forall(p => world.now >= p.quietUntil)) hub.append(partition, shape.bodyBytes)
      traffic(world, hub, partition, shape)
    }
}

/** What the faults do. */
private final class Effects(world: World, hub: SimHub, network: SimNetwork, query: ReadQuery, shape: RunShape) {

  private def linksOf(partition: Int) = hub.partitions.lift(partition).fold(Seq.empty[SimLink])(_.readers.toList)

  private def on(partition: Int)(effect: SimPartition => Unit): Unit = hub.partitions.lift(partition).foreach(effect)

  def apply(what: Fault.What): Unit = what match {
    case Fault.LinkLost(partition) => linksOf(partition).foreach(_.end(SimLink.Lost))
    case Fault.LinkDetached(partition) => linksOf(partition).foreach(_.end(SimLink.detached))
    case Fault.LinkStalls(partition, millis) => linksOf(partition).foreach(_.stall(millis))
    case Fault.PartitionDown(partition, millis) => on(partition)(_.downUntil = world.now + millis)
    case Fault.NetworkDown(millis) =>
      network.downUntil = world.now + millis
      hub.links.foreach(link => if (world.chance(0.5)) link.end(SimLink.Lost) else link.stall(millis))
    case Fault.Busy(millis) =>
      network.busyUntil = world.now + millis
      hub.links.foreach(link => if (world.chance(0.3)) link.end(SimLink.busy))
    case Fault.AnswersLost(millis) => network.answersLostUntil = world.now + millis
    case Fault.AnswersSlow(millis, slowest) =>
      network.slowUntil = world.now + millis
      network.slowestMillis = slowest
    case Fault.AnswersLag(partition, millis, lag) =>
      on(partition) { lagging =>
        lagging.lagMillis = lag
        lagging.lagsUntil = world.now + millis
      }
    case Fault.LinksLag(millis, lag) =>
      network.linkLagMillis = lag
      network.linksLagUntil = world.now + millis
    case Fault.HubLags(millis) => hub.lagsUntil = world.now + millis
    case Fault.Retention(partition, part) =>
      on(partition)(p => p.expire(p.earliest + ((p.latest - p.earliest) * part).toLong))
    case Fault.Compaction => hub.partitions.foreach(_.compact())
    case Fault.Burst(partition, events) => (0 until events).foreach(_ => hub.append(partition, shape.bodyBytes))
    case Fault.NobodySends(partition, millis) => on(partition)(_.quietUntil = world.now + millis)
    case Fault.Gap(partition, events) =>
      if (!shape.isCompacted) on(partition) { p =>
        (0 until events).foreach { _ =>
          p.gaps += p.latest
          hub.append(partition, shape.bodyBytes)
          p.events.remove(p.latest - 1)
        }
        hub.append(partition, shape.bodyBytes)
      }
    // In a compacted hub nothing shows that a link has passed over events.
    case Fault.LinkSkips(partition, events) => if (!shape.isCompacted) on(partition)(_.skipsOnce = events)
    case Fault.LinkBeginsEarly(partition, events) => on(partition)(_.beginsEarly = events)
    case Fault.Recreated(gone) => hub.recreate(gone)
    case Fault.Promoted(lacking) => hub.promote(lacking.lift(_).getOrElse(0L))
    case Fault.PartitionAdded => hub.addPartition()
    case Fault.DriverCrash(step) => world.interruptAt(step, World.DriverCrash)
    case Fault.ExecutorCrash(step) => world.interruptAt(step, World.ExecutorCrash)
    case Fault.TaskKilled => query.isTaskKilled = true
    case Fault.QueryStopped => query.isStopped = true
    case Fault.TaskMoved => query.isMoved = true
  }
}

/** The connector varies its pauses with the JVM's generators, which a run sets to its seed. */
private object SharedRandom {

  private val field = {
    val seed = classOf[Thread].getDeclaredField("threadLocalRandomSeed")
    seed.setAccessible(true)
    seed
  }

  def set(seed: Long): Unit = {
    // Sets the probe of the thread, without which the first use would set the seed too.
    java.util.concurrent.ThreadLocalRandom.current()
    field.setLong(Thread.currentThread, seed)
  }
}
