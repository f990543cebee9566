package org.apache.spark.sql.eventhubs.hubs

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration

import org.apache.spark.eventhubs.connection.ClientConnectionPool
import org.apache.spark.eventhubs.executor.KnownHubs
import org.apache.spark.eventhubs.listing.HubDirectory
import org.apache.spark.eventhubs.options.{HubSelection, ReadSettings}
import org.apache.spark.eventhubs.ownership.QueryOwnership
import org.apache.spark.eventhubs.rdd.ReadAccumulator
import org.apache.spark.eventhubs.{DataLoss, ErrorCondition, EventHubsException, NameAndPartition}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.eventhubs.EventHubsSourceOffset
import org.apache.spark.util.Clock

/**
 * The hubs of one query. Opens a hub when it is needed, and notes which ones the service does not have. With a pattern,
 * hubs join.
 *
 * A hub that the query read before and that is missing stops the query, or, with `failOnDataLoss` off, is left out and
 * keeps its positions. A hub that the query may not read always stops it.
 */
private[eventhubs] final class QueryHubs(
    settings: ReadSettings,
    val metadataPath: String,
    hadoopConf: Configuration,
    start: QueryStart,
    totals: ReadAccumulator,
    clients: ClientConnectionPool,
    known: KnownHubs,
    directory: HubDirectory,
    clock: Clock,
    ownership: Option[QueryOwnership] = None,
    checkReadiness: OpenHub => Unit = _.checkReadiness()
) extends AutoCloseable
    with Logging {

  private val files = new HubIdentityFiles(metadataPath, hadoopConf)
  private val names = HubNames.of(settings, directory, (start.hubs ++ files.hubs).distinct, clock)
  private val states = mutable.LinkedHashMap.empty[String, HubState]
  private var isAvailableNow = false
  private var isRemovalReported = false

  files.requireSameHubs(settings.connection.hub, includes, start.hubs)

  /** The hubs that the query reads, also those that are missing now. */
  def all: Seq[OpenHub] = names.now.map(apply)

  /** Whether the query's options select a hub of this name. */
  def includes(hub: String): Boolean = names.includes(hub)

  /** The hub's name as the query's options or the namespace have it. */
  def nameOf(hub: String): String = names.now.find(_.equalsIgnoreCase(hub)).getOrElse(hub)

  /** Any hub of the checkpoint, also one that the query no longer reads. */
  def apply(hub: String): OpenHub = synchronized {
    openedAs(hub).getOrElse {
      val name = nameOf(hub)
      val found = open(name)
      states(name) = HubState.Open(found)
      found
    }
  }

  /**
   * Lets hubs join that match the query's pattern and appeared since. One that cannot be read yet joins later, and is
   * then read from its first event.
   */
  def refresh(): Unit = names.appeared().foreach { hub =>
    val before = synchronized(states.get(hub))
    try {
      admit(apply(hub))
      names.join(hub)
      logInfo(s"The query also reads the event hub '$hub' from now on.")
    } catch {
      case failed: EventHubsException =>
        close(hub)
        val notReady = HubState.NotReady(failed.getMessage)
        synchronized(states.put(hub, notReady))
        if (!before.contains(notReady))
          logWarning(
            s"The event hub '$hub' matches the query's pattern and is not read yet. The query tries again, and will " +
              s"begin at its first event: ${failed.getMessage}"
          )
    }
  }

  /** A query that owns its partitions claims those of the hub first: a link before the claim disconnects the owner. */
  private def admit(hub: OpenHub): Unit = {
    hub.ownership.flatMap(_.claim(hub.partitions)).foreach(obstacle => throw obstacle)
    checkReadiness(hub)
  }

  def prepareForAvailableNow(): Unit = {
    isAvailableNow = true
    names.fix()
    opened.foreach(_.planner.prepareForAvailableNow())
  }

  /** Checks each hub before the query runs. */
  def checkReadiness(): Unit = {
    // A link before the claim would disconnect the owner.
    val existing = if (settings.hubs.isOne && ownership.isEmpty) all else inEach(_.checkExists()).map(_._1)
    ownership.foreach(claimAll)
    InParallel.map(existing)(checkReadiness)
    ()
  }

  /** Returns when the query owns all partitions of all its hubs. */
  private def claimAll(owned: QueryOwnership): Unit = {
    // One hub after the other: of two queries that claim the same hubs, the first one gets all.
    def obstacles = inEach(_.partitions).iterator.flatMap { case (hub, partitions) =>
      hub.ownership.flatMap(_.claim(partitions))
    }
    owned.ensure(() => obstacles.find(_ => true), () => allOwnership.foreach(_.release()))
    InParallel.map(allOwnership)(_.noteReached())
    ()
  }

  /** The results for the hubs that exist, in the order of their names. */
  def inEach[A](work: OpenHub => A): Seq[(OpenHub, A)] =
    InParallel.map(all.filterNot(hub => isMissing(hub.name)))(hub => attempt(hub)(work).map(hub -> _)).flatten

  /** The hub, unless it is missing: then what reports the events of the batch as lost. */
  def toRead(
      hub: String,
      start: EventHubsSourceOffset,
      end: EventHubsSourceOffset
  ): Either[() => Unit, OpenHub] = {
    val open = apply(hub)
    def lost(): Unit = {
      val from = start.of(hub)
      for ((partition, until) <- end.of(hub).toSeq.sortBy(_._1); seqNo <- from.get(partition) if seqNo < until)
        open.policy.report(
          DataLoss(DataLoss.Kind.PartitionRemoved, partition, seqNo, until, "the event hub does not exist")
        )
    }
    Either.cond(!isGone(open), open, () => lost())
  }

  /** Hubs that the query no longer reads keep their positions, so that it continues there when it reads them again. */
  def reportRemoved(start: EventHubsSourceOffset): Unit = if (!isRemovalReported) {
    isRemovalReported = true
    val removed = start.sequenceNumbers.filterNot { case (hub, _) => includes(hub) }
    removed.toSeq.sortBy(_._1).foreach { case (hub, seqNos) =>
      val positions = seqNos.toSeq.sorted.map { case (partition, seqNo) => s"partition $partition at $seqNo" }
      logWarning(
        s"The query no longer reads the event hub '$hub', which its checkpoint has (${positions.mkString(", ")}). The " +
          "positions are kept: if you name the event hub again, the query continues there."
      )
    }
  }

  /** Whether a checkpoint at this event is news to the other consumers of the group. Thread-safe. */
  def mayPublish(partition: NameAndPartition, seqNo: Long): Boolean =
    openedAs(partition.ehName).flatMap(_.ownership).forall(_.mayPublish(partition.partitionId, seqNo))

  override def close(): Unit = {
    allOwnership.foreach(_.startClosing())
    opened.foreach { hub =>
      try hub.close()
      catch { case NonFatal(failed) => logWarning(s"The event hub '${hub.name}' cannot be closed", failed) }
    }
  }

  private def allOwnership = opened.flatMap(_.ownership)

  private def opened: Seq[OpenHub] = synchronized(states.values.toList).flatMap(_.opened)

  private def openedAs(hub: String): Option[OpenHub] = synchronized(states.get(nameOf(hub))).flatMap(_.opened)

  private def close(hub: String): Unit = synchronized(states.remove(nameOf(hub))).flatMap(_.opened).foreach(_.close())

  private def open(name: String): OpenHub = {
    val ofHub = settings.ofHub(name)
    val file = files.of(ofHub.connection.hub, isOnly = settings.hubs.isOne && includes(name))
    val hub = new OpenHub(ofHub, file, metadataPath, start, totals, clients, known, clock, ownership)
    if (isAvailableNow) hub.planner.prepareForAvailableNow()
    hub
  }

  private def missing(hub: String): Option[HubState.Missing] = synchronized(states.get(hub)).collect {
    case state: HubState.Missing => state
  }

  /** A hub that is missing is asked for again from time to time. */
  private def isMissing(hub: String): Boolean = missing(hub).exists(!_.isDue(clock.getTimeMillis()))

  /** The result of `work`; None when the query continues without the hub. */
  private def attempt[A](hub: OpenHub)(work: OpenHub => A): Option[A] =
    try {
      val result = work(hub)
      synchronized(missing(hub.name).foreach(_ => states(hub.name) = HubState.Open(hub)))
      Some(result)
    } catch {
      case failed: EventHubsException if isTolerated(hub, failed) =>
        noteMissing(hub, failed)
        hub.disconnect()
        None
      case failed: EventHubsException if isGoneUnread(hub, failed) =>
        logWarning(s"The event hub '${hub.name}' was deleted before the query read anything of it.")
        names.leave(hub.name)
        close(hub.name)
        None
    }

  /**
   * Whether the service does not have the hub. Asks for a hub that was missing before, and for one that the query no
   * longer reads, because nothing else does.
   */
  private def isGone(hub: OpenHub): Boolean = isMissing(hub.name) || (isInDoubt(hub.name) && {
    try attempt(hub)(_.planner.bounds()).isEmpty
    catch { case _: EventHubsException => false } // Its tasks report any other failure.
  })

  private def isInDoubt(hub: String): Boolean =
    !settings.failOnDataLoss && (!includes(hub) || missing(hub).isDefined)

  /** Only a hub that the query has read before: a name that never existed is a mistake in the options. */
  private def isTolerated(hub: OpenHub, failed: EventHubsException): Boolean =
    (!settings.hubs.isOne || !includes(hub.name)) && !settings.failOnDataLoss && hub.hasBeenRead &&
      failed.condition == ErrorCondition.NotFound

  /** A pattern found the hub, and it was deleted since. In a list, the name is a mistake. */
  private def isGoneUnread(hub: OpenHub, failed: EventHubsException): Boolean =
    isPattern && !hub.hasBeenRead && failed.condition == ErrorCondition.NotFound

  private def isPattern: Boolean = settings.hubs match {
    case _: HubSelection.Matching => true
    case _: HubSelection.Listed => false
  }

  private def noteMissing(hub: OpenHub, failed: EventHubsException): Unit = synchronized {
    val now = clock.getTimeMillis()
    val before = missing(hub.name)
    states(hub.name) = before.fold(HubState.Missing(hub, now, now))(_.copy(askedMillis = now))
    if (before.isEmpty)
      logWarning(
        s"The query continues without the event hub '${hub.name}' and keeps its positions, because failOnDataLoss is " +
          s"false: ${failed.getMessage}"
      )
  }
}
