package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.eventhubs.connection.{ClientConnectionPool, EventHubsClient, PartitionBounds}
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.{EventHubsOption, ReadOptions, ReadSettings}
import org.apache.spark.eventhubs.service.{HubView, Known}
import org.apache.spark.eventhubs.{ErrorCondition, EventHubsErrors, EventHubsException}
import org.apache.spark.util.Clock

/**
 * The driver's only way to query the service about partitions. Answers are cached: the calls of one trigger share them,
 * and a hub with many partitions is not queried more often than the service allows.
 *
 * @param hubs the number of hubs that the query reads, which share the namespace's limit
 * @param checkCancelled called often in its pauses; throws when the caller is to stop
 */
private[eventhubs] final class PartitionInfoReader(
    settings: ReadSettings,
    clients: ClientConnectionPool,
    clock: Clock,
    hubs: () => Int = () => 1,
    checkCancelled: () => Unit = () => ()
) extends AutoCloseable {

  import PartitionInfoReader._

  /** None after [[disconnect]], until the next question. */
  private var lease = Option(borrow())
  private val snapshots = new SnapshotCache(clock, freshMillis, query)
  private val view = new HubView(settings.connection.operationTimeout, clock, checkCancelled)

  /** Partitions that the service does not know, as several answers have said, in this generation of the hub. */
  private var refused = Option.empty[(HubGeneration.CreatedAt, Set[Int])]

  /** To be asked for at each use: after [[disconnect]] it is another one. */
  def client: EventHubsClient = synchronized {
    val current = lease.getOrElse(borrow())
    lease = Some(current)
    current.client
  }

  /** Gives the connection back, which then closes soon. For a hub that does not exist, and is asked about rarely. */
  def disconnect(): Unit = synchronized {
    lease.foreach(_.close())
    lease = None
  }

  private def borrow() = clients.borrow(settings.connection, maxConnections = 1)

  /** The hub's state, from the cache or from the service. */
  def snapshot(): HubSnapshot = snapshot(Never)

  /**
   * Returns the newest state to a caller that may stop waiting for the answer.
   *
   * @param abandoned checked often while the service is asked
   */
  def snapshot(abandoned: () => Boolean): HubSnapshot = snapshots.newest(abandoned)

  /**
   * Returns an older state for some time where it is enough, while another thread asks the service: about a hub with
   * hundreds of partitions that takes seconds. A query of several hubs always gets the newest state, because it has to
   * notice soon that one of them is missing.
   */
  def snapshotIfEnough(isEnough: HubSnapshot => Boolean): HubSnapshot =
    snapshots.newestUnless(state => hubs() == 1 && isEnough(state))

  /**
   * Returns the newest state, and does not believe a single answer that lacks events which are known to exist. It may
   * come from a replica that lags behind, so the partition is asked about again, for some seconds. Stops when the
   * thread is interrupted.
   *
   * @param known what is known of partitions, for a state of the hub
   */
  def snapshot(known: HubSnapshot => Map[Int, Known]): HubSnapshot = confirmed(snapshot(), known)

  /** Doubts a state that was just found, as [[snapshot]] does. */
  def confirmed(found: HubSnapshot, known: HubSnapshot => Map[Int, Known]): HubSnapshot =
    view.believed(found) { state =>
      for ((partition, before) <- known(state).toSeq; bounds <- state.bounds.get(partition))
        yield (partition, before, Some(bounds))
    }((_, doubtful) => askAgain(doubtful))

  /**
   * Adds the known partitions that an answer leaves out although they exist, as that of a replica that lags behind. A
   * hub never gets fewer partitions, unless it is recreated. Such a replica may refuse questions about the
   * partition too, so they are asked again, for some seconds.
   */
  def completed(found: HubSnapshot, known: Set[Int]): HubSnapshot = {
    val refusedBefore = refusedOf(found)
    val leftOut = known -- found.bounds.keySet -- found.unread -- refusedBefore
    if (leftOut.isEmpty) found
    else {
      val existing = boundsOfLeftOut(leftOut)
      val (read, unread) = existing.partition { case (partition, _) => settings.partitions.forall(_(partition)) }
      val whole = found.copy(bounds = found.bounds ++ read, unread = found.unread ++ unread.keySet)
      synchronized { refused = Some(found.generation -> (refusedBefore ++ leftOut -- existing.keySet)) }
      // Another thread may have got a newer state meanwhile.
      snapshots.change(state => if (state eq found) whole else state)
      whole
    }
  }

  /** The partitions that were refused and that this answer does not have either. */
  private def refusedOf(found: HubSnapshot): Set[Int] = synchronized {
    refused = refused.filter(_._1 == found.generation).map { case (generation, ids) =>
      generation -> (ids -- found.bounds.keySet)
    }
    refused.fold(Set.empty[Int])(_._2)
  }

  private def boundsOfLeftOut(leftOut: Set[Int]): Map[Int, PartitionBounds] = {
    def ask(partitions: Iterable[Int]) = partitions.toSeq.sorted.flatMap(boundsUnlessRefused).toMap
    view.believed(ask(leftOut))(found => leftOut.toSeq.map(id => (id, Known(next = 0), found.get(id)))) {
      (found, doubtful) => found ++ ask(doubtful)
    }
  }

  /** None when the service answers that the hub does not have the partition. */
  private def boundsUnlessRefused(partition: Int): Option[(Int, PartitionBounds)] =
    try client.partitionBounds(Seq(partition)).headOption
    catch { case gone: EventHubsException if gone.condition == ErrorCondition.NotFound => None }

  private def askAgain(partitions: Seq[Int]): HubSnapshot = snapshots.askAgain(queryAgain(_, partitions))

  /** None when the hub has changed. */
  private def queryAgain(before: HubSnapshot, partitions: Seq[Int]): Option[HubSnapshot] =
    try {
      val (hub, bounds) = client.hubState(partitions)
      Option.when(hub.generation == before.generation)(before.copy(bounds = before.bounds ++ bounds))
    } catch { case failed: EventHubsException if !failed.condition.mayPass => None }

  /**
   * Moves the cached ends to where tasks have read, because the cached answer may be older. A query of all partitions
   * of a large hub can take longer than a batch.
   */
  def raiseEnds(generation: HubGeneration, nextSeqNos: Map[Int, Long]): Unit = snapshots.change { state =>
    if (generation.created.contains(state.generation)) state.withEnds(nextSeqNos) else state
  }

  override def close(): Unit = {
    snapshots.close()
    synchronized(lease.foreach(_.close()))
  }

  private def query(last: Option[HubSnapshot], abandoned: () => Boolean): HubSnapshot =
    last.fold(queryRemembered(abandoned)) { before =>
      // Each partition answers for itself, so the hub's own answer may leave some out.
      queryKnown(before.bounds.keySet, before.unread, abandoned, mayLack = true)
        .filter(_.generation == before.generation)
    }.getOrElse(queryHubThenPartitions(abandoned))

  /** Returns the state of a hub that another query of this JVM has asked about. */
  private def queryRemembered(abandoned: () => Boolean): Option[HubSnapshot] = {
    val all = client.knownPartitions.toSet
    val read = settings.partitions.fold(all)(_.intersect(all))
    Option.when(read.nonEmpty && isChosenAmong(all))(read)
      .flatMap(queryKnown(_, all -- read, abandoned, mayLack = false))
  }

  /** One round trip instead of two. None when the hub has other partitions. */
  private def queryKnown(
      read: Set[Int],
      unread: Set[Int],
      abandoned: () => Boolean,
      mayLack: Boolean
  ): Option[HubSnapshot] =
    try {
      val (hub, bounds) = client.hubState(read.toSeq.sorted, abandoned)
      val (answered, known) = (hub.partitionIds.toSet, read ++ unread)
      val isSame = if (mayLack) answered.subsetOf(known) else answered == known
      Option.when(isSame)(HubSnapshot(hub.generation, bounds, unread))
    } catch {
      // A hub that was recreated with fewer partitions lacks some of those queried. Where the service did not answer, a
      // second query would only wait again.
      case failed: EventHubsException if !failed.condition.mayPass => None
    }

  private def queryHubThenPartitions(abandoned: () => Boolean): HubSnapshot = {
    val hub = client.hubProperties(abandoned)
    val read = wanted(hub.partitionIds)
    HubSnapshot(hub.generation, client.partitionBounds(read, abandoned), hub.partitionIds.toSet -- read)
  }

  private def isChosenAmong(existing: Set[Int]): Boolean =
    (settings.startingPositions.keySet ++ settings.endingPositions.keySet ++ settings.partitions.getOrElse(Set.empty))
      .subsetOf(existing)

  private def wanted(existing: Seq[Int]): Seq[Int] = {
    requireExist(ReadOptions.StartingPositions, settings.startingPositions.keySet, existing)
    requireExist(ReadOptions.EndingPositions, settings.endingPositions.keySet, existing)
    settings.partitions.fold(existing) { chosen =>
      requireExist(ReadOptions.Partitions, chosen, existing)
      existing.filter(chosen)
    }
  }

  private def requireExist(option: EventHubsOption[_], named: Set[Int], existing: Seq[Int]): Unit =
    if (!named.subsetOf(existing.toSet))
      throw EventHubsErrors.invalidOption(
        option.key,
        named.toSeq.sorted.mkString(","),
        s"ids among ${existing.min} to ${existing.max}, the partitions of ${settings.connection.hub}"
      )

  /**
   * A snapshot costs one call for each partition and one for the hub. It is kept until the rate limit allows as many.
   */
  private def freshMillis(snapshot: HubSnapshot): Long =
    if (settings.connection.developmentEmulator) 0L else 1000L * (snapshot.bounds.size + 1) * hubs() / CallsPerSecond
}

private object PartitionInfoReader {

  private val Never: () => Boolean = () => false

  /** The service allows 50 a second for all queries of the hub together. */
  private val CallsPerSecond = 20
}
