package org.apache.spark.eventhubs.sim

import java.time.Instant
import java.util.{Date, HashMap => JavaHashMap, TreeMap => JavaTreeMap}

import scala.collection.mutable

import org.apache.qpid.proton.amqp.messaging.{Data, MessageAnnotations}
import org.apache.qpid.proton.amqp.{Binary, Symbol}
import org.apache.qpid.proton.message.Message

import org.apache.spark.eventhubs.connection.PartitionBounds

/**
 * An event as the service stores it.
 *
 * @param id         of this event alone, in all partitions, epochs and generations
 * @param generation how often the hub had been recreated
 * @param epoch      of a geo-replicated hub: how often a region had been promoted; 0 in other hubs
 */
private[spark] final class StoredEvent(
    val id: Long,
    val partition: Int,
    val seqNo: Long,
    val generation: Int,
    val epoch: Int,
    val enqueuedMillis: Long,
    val key: Int,
    bodyBytes: Int
) {

  def offset: String = if (epoch > 0) s"$epoch:${seqNo * 100}:$seqNo" else (seqNo * 100).toString

  /** As a link delivers it. The body begins with the id. */
  lazy val message: Array[Byte] = {
    val annotations = new JavaHashMap[Symbol, AnyRef]
    annotations.put(StoredEvent.SeqNo, Long.box(seqNo))
    annotations.put(StoredEvent.Offset, offset)
    annotations.put(StoredEvent.Enqueued, new Date(enqueuedMillis))
    val body = java.nio.ByteBuffer.allocate(bodyBytes + 8).putLong(id).array()
    val message = Message.Factory.create()
    message.setMessageAnnotations(new MessageAnnotations(annotations))
    message.setBody(new Data(new Binary(body)))
    val buffer = new Array[Byte](bodyBytes + 512)
    buffer.take(message.encode(buffer, 0, buffer.length))
  }
}

private[spark] object StoredEvent {
  private val SeqNo = Symbol.valueOf("x-opt-sequence-number")
  private val Offset = Symbol.valueOf("x-opt-offset")
  private val Enqueued = Symbol.valueOf("x-opt-enqueued-time")
}

/** One partition of the service, and what its replicas that lag behind still answer. */
private[spark] final class SimPartition(val id: Int, world: World, generation: Int) {

  val events = new JavaTreeMap[Long, StoredEvent]
  var earliest = 0L
  var latest = 0L
  var epoch = 0
  var lastEnqueued = 0L

  /** Where events are missing although retention has not reached them: a loss of the service. */
  val gaps = mutable.HashSet.empty[Long]

  /** Answers come from a replica that is this far behind, until that time. */
  var lagMillis = 0L
  var lagsUntil = 0L

  /** Links and questions get nothing until this time. */
  var downUntil = 0L

  /** Nobody sends events until this time. */
  var quietUntil = 0L

  /** The next link passes over this many events, once. */
  var skipsOnce = 0
  var skippedUntil = 0L

  /** The next link begins this many events too early, once. */
  var beginsEarly = 0

  /** Called after an event is stored. */
  val readers = mutable.LinkedHashSet.empty[SimLink]

  private val past = mutable.ArrayDeque.empty[(Long, PartitionBounds)]

  def append(id: Long, bodyBytes: Int): StoredEvent = {
    remember()
    lastEnqueued = SimHub.EpochMillis + world.now
    val event =
      new StoredEvent(id, this.id, latest, generation, epoch, lastEnqueued, world.between(0, 3).toInt, bodyBytes)
    events.put(latest, event)
    latest += 1
    readers.toList.foreach(_.eventStored())
    event
  }

  /** Retention removes the events before a number. */
  def expire(until: Long): Unit = if (until > earliest) {
    remember()
    earliest = math.min(until, latest)
    events.headMap(earliest).clear()
  }

  /** Removes events with a newer one of the same key, now and then also the newest: a tombstone. */
  def compact(): Unit = {
    val newest = mutable.HashMap.empty[Int, Long]
    events.values.forEach(event => newest(event.key) = event.seqNo)
    val gone = mutable.ArrayBuffer.empty[Long]
    events.values.forEach { event =>
      if (newest(event.key) != event.seqNo || world.chance(0.2)) gone += event.seqNo
    }
    gone.foreach(events.remove(_))
  }

  /** A promoted region lacks the newest events, and gives their numbers to new ones. */
  def promote(lacking: Long): Unit = {
    past.clear()
    lagsUntil = 0
    latest = math.max(earliest, latest - lacking)
    events.tailMap(latest).clear()
    epoch += 1
  }

  def isRetained(seqNo: Long): Boolean = events.containsKey(seqNo)

  def isDown: Boolean = world.now < downUntil

  /** What an answer says that the service gives now. */
  def answer: PartitionBounds =
    if (world.now >= lagsUntil || !world.chance(0.8)) bounds
    else {
      val at = world.now - lagMillis
      past.find(_._1 > at).fold(bounds)(_._2)
    }

  private def bounds: PartitionBounds = {
    val last = Option(events.lastEntry).map(_.getValue)
    // The answer counts the promotions; a promoted region without a new event has the epoch of its last event.
    val shown = last.map(_.epoch).filter(_ > 0).orElse(Option.when(epoch > 0)(epoch))
    val offset = last.fold("-1")(_.offset)
    PartitionBounds(earliest, latest, offset, Instant.ofEpochMilli(lastEnqueued), shown)
  }

  private def remember(): Unit = {
    past.append((world.now, bounds))
    while (past.nonEmpty && past.head._1 < world.now - SimHub.LongestLag) past.removeHead()
  }
}

/** The simulated service's only hub. */
private[spark] final class SimHub(val world: World, partitionCount: Int, val isReplicated: Boolean) {

  private var ids = 0L
  private var count = partitionCount

  var generation = 0
  var createdAt: Instant = Instant.ofEpochMilli(SimHub.EpochMillis)
  var partitions: IndexedSeq[SimPartition] = newPartitions(partitionCount)

  /** All events that were ever stored, by their ids. */
  val stored = mutable.HashMap.empty[Long, StoredEvent]

  /** The hub does not exist until this time. */
  var missingUntil = 0L

  /** Answers about the hub come from a replica that lags behind, until this time. */
  var lagsUntil = 0L
  private var countBefore = partitionCount
  private var addedMillis = 0L

  /** Questions that the service got. */
  var questions = 0L

  var promotions = 0

  private def newPartitions(of: Int): IndexedSeq[SimPartition] = (0 until of).map { id =>
    val partition = new SimPartition(id, world, generation)
    if (isReplicated) partition.epoch = 1
    partition
  }

  def append(partition: Int, bodyBytes: Int): Unit = if (partition < partitions.length) {
    ids += 1
    val event = partitions(partition).append(ids, bodyBytes)
    stored(event.id) = event
  }

  def isMissing: Boolean = world.now < missingUntil

  /** The times of creation, in milliseconds of the run, of all generations. */
  private val created = mutable.HashMap(0L -> 0)

  /** The generation that was created at this time. */
  def generationAt(millis: Long): Int = created.getOrElse(millis, -1)

  /** Deletes the hub, and creates it again after some time. */
  def recreate(goneMillis: Long): Unit = {
    links.foreach(_.end(SimLink.Deleted))
    generation += 1
    missingUntil = world.now + goneMillis
    createdAt = Instant.ofEpochMilli(SimHub.EpochMillis + world.now + goneMillis)
    created(world.now + goneMillis) = generation
    partitions = newPartitions(count)
  }

  def addPartition(): Unit = {
    countBefore = count
    addedMillis = world.now
    val partition = new SimPartition(count, world, generation)
    if (isReplicated) partition.epoch = partitions.head.epoch
    partitions = partitions :+ partition
    count += 1
  }

  def promote(lacking: Int => Long): Unit = {
    promotions += 1
    links.foreach(_.end(SimLink.Lost))
    partitions.foreach(partition => partition.promote(lacking(partition.id)))
  }

  def links: Seq[SimLink] = partitions.flatMap(_.readers)

  /** The number of partitions, as an answer has it. */
  def answeredCount: Int = {
    val lags = world.now < lagsUntil && world.now - addedMillis < SimHub.LongestLag
    if (lags && world.chance(0.8)) countBefore else count
  }
}

private[spark] object SimHub {

  /** The time of day when a run begins. */
  val EpochMillis: Long = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli

  /** Answers are never older. The connector waits until answers agree for 10 s. */
  val LongestLag = 8000L
}
