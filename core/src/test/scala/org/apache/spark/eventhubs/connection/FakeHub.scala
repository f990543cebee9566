package org.apache.spark.eventhubs.connection

import java.time.{Duration, Instant}

import scala.collection.mutable

import org.reactivestreams.Subscription
import reactor.core.CoreSubscriber

import org.apache.spark.eventhubs.EventPosition
import org.apache.spark.eventhubs.amqp.FakeMessage
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ConnectionSettings

/** A hub in memory. A test makes its links fail, end or fall silent. */
final class FakeHub(partitionCount: Int) {

  @volatile var createdAt: Instant = Instant.parse("2024-01-01T00:00:00Z")
  val partitions: mutable.Map[Int, FakePartition] =
    mutable.Map(0.until(partitionCount).map(_ -> new FakePartition): _*)

  /** All links that were ever opened, in order. */
  val links = mutable.ArrayBuffer.empty[FakeLink]

  /** All connections that were ever opened, in order. */
  val clients = mutable.ArrayBuffer.empty[FakeEventHubsClient]

  /** What the next links do when they get credit. Further links serve their partition. */
  val upcoming = mutable.Queue.empty[FakeLink => Unit]

  /** Positions that were resolved by receiving: partition and position. */
  val lookups = mutable.ArrayBuffer.empty[(Int, EventPosition)]
  var found: (Int, EventPosition) => Option[Long] = (_, _) => None

  /** Partitions that answers about the hub leave out, as those of a replica that lags behind. */
  @volatile var leftOut = Set.empty[Int]

  /** How questions about the hub and its partitions fail, if they do. */
  @volatile var unanswered = Option.empty[Throwable]

  /** Run by a question before its answer, and by a check of reading. */
  @volatile var onQuestion: () => Unit = () => ()

  /** How questions about partitions fail. */
  @volatile var failing = Map.empty[Int, Throwable]

  /** Run by a question about partitions after its answer is made. */
  @volatile var onAnswer: () => Unit = () => ()
  @volatile var onCheckReading: () => Unit = () => ()
  var boundsCalls = 0
  var propertiesCalls = 0
  var askedPartitions = 0

  /** Questions about the hub and its partitions together. */
  var stateCalls = 0

  def connect(settings: ConnectionSettings): EventHubsClient = synchronized {
    val client = new FakeEventHubsClient(this, settings)
    clients += client
    client
  }

  def openLinks: Seq[FakeLink] = synchronized(links.filter(_.isOpen).toSeq)
}

/** Has the events from `earliest` until `latest`, without the missing ones. */
final class FakePartition {
  @volatile var earliest = 0L
  @volatile var latest = 0L
  @volatile var missing = Set.empty[Long]
  @volatile var bodyBytes = 10

  /** Makes a message from sequence number and body. */
  @volatile var message: (Long, Array[Byte]) => Array[Byte] = FakeMessage(_, _)

  /** Ends in the next answers, instead of `latest`. */
  val lowAnswers = mutable.Queue.empty[Long]

  /** How many of the next answers say that the hub does not have the partition. */
  @volatile var refusals = 0

  def isRefused(): Boolean = {
    val refused = refusals > 0
    if (refused) refusals -= 1
    refused
  }

  /** The next answers, before those that the partition's state gives. */
  val staleAnswers = mutable.Queue.empty[PartitionBounds]

  /** In a geo-replicated hub: the first sequence number of each epoch, from 1. */
  @volatile var firstOfEpoch = Seq.empty[Long]
  @volatile var isSilent = false
  val epochLookups = mutable.ArrayBuffer.empty[Long]

  /** The first event at or after a sequence number. */
  def firstAt(seqNo: Long): Option[Long] =
    Iterator.iterate(math.max(seqNo, earliest))(_ + 1).takeWhile(_ < latest).find(!missing(_))

  def epochOf(seqNo: Long): Int = math.max(1, firstOfEpoch.lastIndexWhere(_ <= seqNo) + 1)

  @volatile var lastEnqueued: Instant = Instant.parse("2024-01-02T00:00:00Z")
}

final class FakeEventHubsClient(hub: FakeHub, val settings: ConnectionSettings) extends EventHubsClient {
  @volatile var isClosed = false

  override def hubProperties(): HubProperties = {
    hub.propertiesCalls += 1
    failIfUnanswered()
    partitions = hub.partitions.keys.filterNot(hub.leftOut).toSeq.sorted
    HubProperties("telemetry", HubGeneration.CreatedAt(hub.createdAt), partitions)
  }

  @volatile private var partitions = Seq.empty[Int]

  override def knownPartitions: Seq[Int] = partitions

  override def partitionBounds(partitionIds: Seq[Int]): Map[Int, PartitionBounds] = {
    hub.boundsCalls += 1
    hub.askedPartitions += partitionIds.size
    failIfUnanswered()
    for (id <- partitionIds; error <- hub.failing.get(id))
      throw SdkErrors.translate(error, settings.hub, s"asking about partition $id")
    val answers = partitionIds.map { id =>
      val partition = hub.partitions.get(id).filterNot(_.isRefused())
        .getOrElse(throw SdkErrors.translate(SdkFailures.notFound, settings.hub, "asking"))
      id -> (if (partition.staleAnswers.isEmpty) answer(partition) else partition.staleAnswers.dequeue())
    }.toMap
    hub.onAnswer()
    answers
  }

  override def hubState(partitionIds: Seq[Int]): (HubProperties, Map[Int, PartitionBounds]) = {
    hub.stateCalls += 1
    super.hubState(partitionIds)
  }

  override def routineState(
      partitionIds: Seq[Int],
      abandoned: () => Boolean
  ): (HubProperties, Map[Int, PartitionBounds]) = {
    val answering = partitionIds.filterNot(hub.failing.contains)
    hubState(if (answering.isEmpty) partitionIds else answering, abandoned)
  }

  private def answer(partition: FakePartition): PartitionBounds = {
    val latest = if (partition.lowAnswers.isEmpty) partition.latest else partition.lowAnswers.dequeue()
    val epoch = partition.firstOfEpoch.lastOption.map(_ => partition.epochOf(latest - 1))
    PartitionBounds(
      math.min(partition.earliest, latest),
      latest,
      epoch.fold((latest - 1).toString)(number => s"$number:4900:${latest - 1}"),
      partition.lastEnqueued,
      epoch
    )
  }

  private def failIfUnanswered(): Unit = {
    hub.onQuestion()
    hub.unanswered.foreach(error => throw SdkErrors.translate(error, settings.hub, "asking"))
  }

  override def firstSequenceNumber(
      consumerGroup: String,
      partitionId: Int,
      position: EventPosition,
      ownerLevel: Option[Long],
      timeout: Duration,
      whenEmpty: Option[Long]
  ): Option[Long] = {
    hub.lookups += partitionId -> position
    hub.found(partitionId, position).orElse(whenEmpty)
  }

  override def epochAt(
      consumerGroup: String,
      partitionId: Int,
      seqNo: Long,
      ownerLevel: Option[Long],
      timeout: Duration,
      whenEmpty: Option[Int]
  ): Option[Int] = {
    val partition = hub.partitions(partitionId)
    partition.epochLookups += seqNo
    if (partition.isSilent) None
    else partition.firstAt(seqNo).map(partition.epochOf).orElse(whenEmpty)
  }

  override def checkReading(
      consumerGroup: String,
      partitionId: Int,
      ownerLevel: Option[Long],
      timeout: Duration
  ): Unit = hub.onCheckReading()

  override def subscribe(link: ReceiveLink, reader: CoreSubscriber[Array[Byte]]): Unit = hub.synchronized {
    val opened = new FakeLink(link, hub.partitions(link.partitionId), reader)
    if (hub.upcoming.nonEmpty) opened.onAsked = hub.upcoming.dequeue()
    hub.links += opened
    link.drain.foreach(request => request.bind(() => opened.drained(request)))
    reader.onSubscribe(opened)
  }

  override def close(): Unit = isClosed = true
}

/**
 * A link. On a request for events it serves its partition on the requesting thread, as the SDK may, or runs `onAsked`.
 */
final class FakeLink(val link: ReceiveLink, partition: FakePartition, reader: CoreSubscriber[Array[Byte]])
    extends Subscription {
  @volatile var isCancelled = false
  @volatile var isEnded = false
  @volatile var asked = 0L
  @volatile var onAsked: FakeLink => Unit = link => link.serve()
  private var next = link.fromSeqNo
  private var delivered = 0L

  def isOpen: Boolean = !isCancelled && !isEnded

  /** The first request: the link's credit. */
  @volatile var credit = 0L

  override def request(n: Long): Unit = {
    if (credit == 0) credit = n
    asked += n
    onAsked(this)
  }

  /** Run before the link ends. */
  @volatile var onCancel: () => Unit = () => ()

  override def cancel(): Unit = {
    onCancel()
    isCancelled = true
  }

  /** What the service does when it is asked to drain. */
  @volatile var onDrain: LinkDrain => Unit = request => answer(request)

  /** How often it was asked to drain. */
  @volatile var drains = 0

  def drained(request: LinkDrain): Unit = {
    drains += 1
    onDrain(request)
  }

  /** Returns the credit that is left. */
  def answer(request: LinkDrain): Unit = {
    val left = asked - delivered
    if (isOpen && left > 0) {
      asked -= left
      request.answer(left.toInt, isEmpty = true)
    }
  }

  /** Delivers the partition's events, as many as were requested. */
  def serve(): Unit = {
    next = math.max(next, partition.earliest)
    while (isOpen && delivered < asked && next < partition.latest) {
      if (!partition.missing(next)) deliver(next)
      next += 1
    }
  }

  def deliver(seqNos: Long*): Unit = seqNos.foreach { seqNo =>
    delivered += 1
    reader.onNext(partition.message(seqNo, Array.fill(partition.bodyBytes)('x'.toByte)))
  }

  /** Delivers bytes that need not be a message. */
  def deliverBytes(bytes: Array[Byte]): Unit = reader.onNext(bytes)

  def complete(): Unit = {
    isEnded = true
    reader.onComplete()
  }

  def fail(error: Throwable): Unit = {
    isEnded = true
    reader.onError(error)
  }
}
