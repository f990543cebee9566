package org.apache.spark.sql.eventhubs.planning

import java.time.Duration

import org.apache.spark.eventhubs.connection.{
  AbandonedQuestionException,
  ClientConnectionPool,
  EventHubsClient,
  HubProperties,
  PartitionBounds
}
import org.apache.spark.eventhubs.executor.{HubAnswers, KnownHubs}
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.{EventHubsOption, ReadOptions, ReadSettings}
import org.apache.spark.eventhubs.service.{HubSnapshot, HubView, Known}
import org.apache.spark.eventhubs.{ErrorCondition, EventHubsErrors, EventHubsException, EventPosition}
import org.apache.spark.util.Clock

/**
 * The driver's only way to query the service about partitions. The queries of this JVM share the answers of a hub: the
 * newest one where a query starts or doubts, and older ones for its routine.
 *
 * @param known the hubs of this JVM
 * @param checkCancelled called often in its pauses; throws when the caller is to stop
 */
private[eventhubs] final class PartitionInfoReader(
    settings: ReadSettings,
    clients: ClientConnectionPool,
    known: KnownHubs,
    clock: Clock,
    checkCancelled: () => Unit = () => ()
) extends AutoCloseable {

  import PartitionInfoReader._

  /** None after [[disconnect]], until the next question. */
  private var lease = Option(borrow())

  /** Older answers, to other queries, say nothing about where this one starts. */
  private val sinceMillis = clock.getTimeMillis()
  private val answers = known.open(settings)
  private val view = new HubView(settings.connection.operationTimeout, clock, checkCancelled)
  private val routine = HubAnswers.Question(this, askedAgain(client.routineState(_, () => isClosed)))
  @volatile private var isClosed = false

  /** Whether the hub has had the partitions that the options name. */
  @volatile private var isChecked = false

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

  /** The hub's state, as new as a round of routine questions would make it. Waits for the answer. */
  def snapshot(): HubSnapshot = snapshot(Never)

  /**
   * Returns the state to a caller that may stop waiting for the answer.
   *
   * @param abandoned checked often while the service is asked
   */
  def snapshot(abandoned: () => Boolean): HubSnapshot = {
    val round = known.pace(settings.connection).roundSince(clock.getTimeMillis())
    newest(math.max(sinceMillis, round), abandoned)
  }

  /** The hub's state as it is now, by a question that is asked after this call. */
  def newestSnapshot(): HubSnapshot = checked(answers.asked(() => checkWanted(Never))(query(_, Never)))

  private def newest(since: Long, abandoned: () => Boolean): HubSnapshot =
    checked(answers.newest(since, () => checkWanted(abandoned))(query(_, abandoned)))

  private def checkWanted(abandoned: () => Boolean): Unit = {
    checkCancelled()
    if (abandoned()) throw new AbandonedQuestionException(s"asking about ${settings.connection.hub}")
  }

  /**
   * The state that is known without waiting for the service, which is asked meanwhile, by and by. Waits only where the
   * state would be older than a round of these questions takes, because nobody has called for so long.
   *
   * @param isEnough whether the caller needs no newer state
   */
  def recentSnapshot(isEnough: HubSnapshot => Boolean = _ => false): HubSnapshot =
    checked(
      answers.recent(sinceMillis, isEnough, known.pace(settings.connection), () => checkWanted(Never))(query(_, Never))(
        routine
      )
    )

  /** How old the oldest of the newest answers about the partitions is. */
  def answerMillis: Option[Long] = answers.ageMillis

  /** Another query may have asked for this state, which has other positions. */
  private def checked(state: HubSnapshot): HubSnapshot = {
    if (!isChecked) requirePositions((state.bounds.keySet ++ state.unread).toSeq)
    isChecked = true
    state
  }

  /**
   * Returns a state as [[snapshot]] does, and does not believe a single answer that lacks events which are known to
   * exist. It may come from a replica that lags behind, so the partition is asked about again, for some seconds. Stops
   * when the thread is interrupted.
   *
   * @param known what is known of partitions, for a state of the hub
   */
  def snapshot(known: HubSnapshot => Map[Int, Known]): HubSnapshot = confirmed(snapshot(), known)

  /** Doubts a state that was just found, as [[snapshot]] does. */
  def confirmed(found: HubSnapshot, known: HubSnapshot => Map[Int, Known]): HubSnapshot = {
    val believed = view.believed(found) { state =>
      for ((partition, before) <- known(state).toSeq; bounds <- state.bounds.get(partition))
        yield (partition, before, Some(bounds))
    }((_, doubtful) => askAgain(doubtful))
    withEvents(believed, known(believed))
  }

  /**
   * Proves the known ends that several answers lack by receiving the events before them: a query that restarts may be
   * ahead of answers that lag behind for long. In a geo-replicated hub an event alone proves nothing.
   */
  private def withEvents(found: HubSnapshot, known: Map[Int, Known]): HubSnapshot = {
    val until = clock.getTimeMillis() + math.min(ListenForMillis, settings.connection.operationTimeout.toMillis)
    val seen = for {
      (partition, before) <- known.toSeq.sortBy(_._1)
      bounds <- found.bounds.get(partition)
      if bounds.epoch.isEmpty && bounds.latest < before.next && clock.getTimeMillis() < until
      number <- eventFrom(partition, before.next - 1, until - clock.getTimeMillis())
    } yield partition -> (number + 1)
    if (seen.isEmpty) found
    else {
      prove(found.planned, seen.toMap)
      found.withEnds(seen.toMap)
    }
  }

  /** The number of the first event at or after this one; None when none has come in time, for whatever reason. */
  private def eventFrom(partition: Int, seqNo: Long, millis: Long): Option[Long] = {
    val position = EventPosition.AtSequenceNumber(seqNo, inclusive = true)
    val (group, level) = (settings.consumerGroup, settings.ownerLevel)
    try client.firstSequenceNumber(group, partition, position, level, Duration.ofMillis(millis), whenEmpty = None)
    catch { case _: EventHubsException => None }
  }

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
      answers.add(whole)
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

  private def askAgain(partitions: Seq[Int]): HubSnapshot =
    answers.askAgain(partitions)(askedAgain(client.hubState(_))).getOrElse(newestSnapshot())

  /** None when the hub has changed. */
  private def askedAgain(
      ask: Seq[Int] => (HubProperties, Map[Int, PartitionBounds])
  )(before: HubSnapshot, partitions: Seq[Int]): Option[Map[Int, PartitionBounds]] =
    try {
      val (hub, bounds) = ask(partitions)
      val isSame = hub.generation == before.generation &&
        hub.partitionIds.forall(id => before.bounds.contains(id) || before.unread(id))
      Option.when(isSame)(bounds)
    } catch { case failed: EventHubsException if !failed.condition.mayPass => None }

  /** Notes that tasks have read the events before these numbers. */
  def prove(generation: HubGeneration, nextSeqNos: Map[Int, Long]): Unit = {
    val ends = nextSeqNos.map { case (partition, next) => partition -> Known(next, generation.epochOf(partition)) }
    generation.created.foreach(known.prove(settings.connection.hub, _, ends))
  }

  override def close(): Unit = {
    val isFirst = synchronized {
      val isFirst = !isClosed
      isClosed = true
      isFirst
    }
    answers.leave(this)
    if (isFirst) known.close(answers)
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

  private def wanted(existing: Seq[Int]): Seq[Int] = settings.partitions.fold(existing) { chosen =>
    requireExist(ReadOptions.Partitions, chosen, existing)
    existing.filter(chosen)
  }

  private def requirePositions(existing: Seq[Int]): Unit = {
    requireExist(ReadOptions.StartingPositions, settings.startingPositions.keySet, existing)
    requireExist(ReadOptions.EndingPositions, settings.endingPositions.keySet, existing)
  }

  private def requireExist(option: EventHubsOption[_], named: Set[Int], existing: Seq[Int]): Unit =
    if (!named.subsetOf(existing.toSet))
      throw EventHubsErrors.invalidOption(
        option.key,
        named.toSeq.sorted.mkString(","),
        s"ids among ${existing.min} to ${existing.max}, the partitions of ${settings.connection.hub}"
      )
}

private[eventhubs] object PartitionInfoReader {

  private val Never: () => Boolean = () => false

  /** So long the events are waited for that the answers lack. */
  private val ListenForMillis = 10000L

  /** A reader that asks once, or a few times, and shares no answer. */
  def alone(
      settings: ReadSettings,
      clients: ClientConnectionPool,
      clock: Clock,
      checkCancelled: () => Unit = () => ()
  ): PartitionInfoReader =
    new PartitionInfoReader(
      settings,
      clients,
      new KnownHubs(clock, (work: Runnable) => work.run()),
      clock,
      checkCancelled
    )
}
