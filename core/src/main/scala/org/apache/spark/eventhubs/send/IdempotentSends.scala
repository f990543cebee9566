package org.apache.spark.eventhubs.send

import java.util.concurrent.CompletableFuture

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.eventhubs.connection.{EventBatch, EventHubsProducer, IdempotentLink, ProducerLease}
import org.apache.spark.eventhubs.options.WriteDestination
import org.apache.spark.eventhubs.options.WriteDestination.ToPartition
import org.apache.spark.internal.Logging

/**
 * The idempotent producers of one task: one for each partition that it writes to, each with a link of its own. A new
 * link of a producer has a higher epoch, so the service refuses everything that still arrives over the links before it,
 * however late. Its answer says which event it stored last. Used by the task's thread.
 *
 * @param calls for opening links
 */
private[eventhubs] final class IdempotentSends(lease: ProducerLease, calls: ProducerCalls) extends Logging {

  import IdempotentSends._

  private val producers = mutable.HashMap.empty[ToPartition, PartitionProducer]

  /** Whether the service grants such producers; assumed until it has refused one. */
  private var granted = true

  def isGranted: Boolean = granted

  /** An empty batch; None where the service grants no producer. */
  def newBatch(destination: WriteDestination, maxBytes: Option[Int]): Option[EventBatch] = destination match {
    case partition: ToPartition if granted => prepare(partition).map(_.link.newBatch(maxBytes))
    case _ => None
  }

  /** Makes sure that [[send]] has an open link. May wait for the service. */
  def prepare(batch: InFlightBatch): Unit = if (batch.batch.isNumbered) {
    of(batch).foreach { producer =>
      if (producer.isFull && batch.firstNumber.isEmpty) producer.startAgain()
      if (!producer.isOpenOn(lease.producer)) reopen(producer, calls)
      // Nothing of it is in doubt, so another id can take over.
      if (producer.isForgotten && batch.firstNumber.isEmpty) {
        producer.startAgain()
        reopen(producer, calls)
      }
    }
  }

  /** Whether [[prepare]] would not wait for a batch to this destination that has no numbers yet. */
  def isReady(destination: WriteDestination): Boolean = destination match {
    case partition: ToPartition if granted =>
      producers.get(partition).exists(of => of.isOpenOn(lease.producer) && !of.isFull && !of.isForgotten)
    case _ => true
  }

  /** The connection over which [[send]] sends. */
  def connection(batch: InFlightBatch): EventHubsProducer = of(batch).get.connection

  /** Sends over the producer's own link. [[prepare]] was called before. */
  def send(batch: InFlightBatch): CompletableFuture[Unit] = {
    val producer = of(batch).get
    val first = batch.firstNumber.getOrElse(producer.nextNumber)
    if (batch.firstNumber.isEmpty) {
      batch.firstNumber = Some(first)
      producer.nextNumber += batch.count
    }
    batch.batch.number(producer.id, producer.epoch, first)
    producer.link.send(batch.batch)
  }

  def confirmed(batch: InFlightBatch): Unit =
    if (batch.firstNumber.isDefined) of(batch).foreach(_.confirmedNumber = batch.lastNumber)

  /** The link of this batch may have ended. */
  def failed(batch: InFlightBatch): Unit = if (batch.batch.isNumbered) of(batch).foreach(_.isOpen = false)

  /**
   * Whether a batch without an answer is stored, as the service says. From now on nothing of it can arrive any more.
   *
   * @return None when the service does not know the producer, which then starts again with another id; or when the
   *         batch is of no producer
   */
  def isStored(batch: InFlightBatch): Option[Boolean] =
    if (!batch.batch.isNumbered || batch.firstNumber.isEmpty) None
    else
      of(batch).flatMap { producer =>
        reopen(producer, calls)
        val last = producer.link.grant.lastNumber
        if (last >= batch.lastNumber) Some(true)
        // A service that has forgotten the producer answers -1 too, so a first batch without an answer proves nothing.
        else if (last == batch.firstNumber.get - 1 && last == producer.confirmedNumber && last >= 0) Some(false)
        else {
          logWarning(s"The service has stored event $last of ${producer.place}, and confirmed " +
            s"${producer.confirmedNumber} before. Batches without an answer are looked for in the hub")
          producer.startAgain()
          batch.firstNumber = None
          None
        }
      }

  /**
   * For a task that gives up: whether nothing of these batches can arrive any more.
   *
   * @param calls without a check whether the task was cancelled
   */
  def shutOut(batches: Iterable[InFlightBatch], calls: ProducerCalls): Boolean =
    try
      batches.forall(_.batch.isNumbered) && {
        batches.flatMap(of).toSet.foreach((producer: PartitionProducer) => reopen(producer, calls))
        true
      }
    catch {
      case interrupted: InterruptedException => throw interrupted
      case NonFatal(failed) =>
        logWarning(s"The late events of a task cannot be shut out: ${failed.getMessage}")
        false
    }

  def close(): Unit = producers.values.foreach(_.close())

  private def of(batch: InFlightBatch): Option[PartitionProducer] = batch.queue.destination match {
    case partition: ToPartition => producers.get(partition)
    case _ => None
  }

  private def prepare(partition: ToPartition): Option[PartitionProducer] = {
    val producer = producers.getOrElseUpdate(partition, new PartitionProducer(partition))
    if (!producer.isOpenOn(lease.producer)) reopen(producer, calls)
    Option.when(producer.isOpen)(producer)
  }

  private def reopen(producer: PartitionProducer, calls: ProducerCalls): Unit = {
    producer.close()
    val doing = s"opening a link to ${producer.place}"
    open(producer, calls, doing) match {
      case (over, Some(link)) => producer.opened(over, link)
      case (_, None) if producer.wasGranted =>
        val refused = new IllegalStateException("the service no longer grants an idempotent producer")
        throw EventHubsErrors.service(lease.hub, doing, refused.getMessage, refused)
      case (_, None) =>
        if (granted)
          logInfo(
            s"${lease.hub} grants no idempotent producers, so batches without an answer are looked for in the hub"
          )
        granted = false
    }
  }

  private def open(producer: PartitionProducer, calls: ProducerCalls, doing: String): Opened = {
    var opening = new CompletableFuture[Opened]
    try
      calls[Opened](doing) { over =>
        opening = over.openIdempotent(producer.partition, producer.claim()).thenApply[Opened](link => (over, link))
        opening
      }
    catch {
      case failed: Throwable =>
        // When the task no longer waits, the link may still open, on a connection that others keep.
        opening.thenAccept(opened => opened._2.foreach(_.close()))
        throw failed
    }
  }
}

private[eventhubs] object IdempotentSends {

  /** Then another id is used. The numbers are AMQP's int. */
  private val MaxNumber = Int.MaxValue / 2

  /** A connection and, if the service grants it, a link over it. */
  private type Opened = (EventHubsProducer, Option[IdempotentLink])

  /** A task's producer on one partition. */
  private final class PartitionProducer(val partition: ToPartition) {
    private var known = Option.empty[Long]
    private var openOn = Option.empty[EventHubsProducer]
    private var current = Option.empty[IdempotentLink]
    private var lastEpoch: Short = -1

    /** The number that the next new event gets. */
    var nextNumber = 0
    var confirmedNumber: Int = BeforeFirst
    var isOpen = false
    var wasGranted = false

    /** Whether the service has less than it has confirmed, as after a restart or in a recreated hub. */
    var isForgotten = false

    def place: String = s"partition ${partition.id}"
    def link: IdempotentLink = current.get
    def id: Long = known.get
    def epoch: Short = link.grant.epoch
    def connection: EventHubsProducer = openOn.get

    def isOpenOn(connection: EventHubsProducer): Boolean = isOpen && openOn.exists(_ eq connection)
    def isFull: Boolean = nextNumber > MaxNumber || lastEpoch == Short.MaxValue

    /** Claims the next link. Each attempt has an epoch of its own, because the link of one that failed may exist. */
    def claim(): IdempotentLink.Claim = {
      if (known.isDefined) lastEpoch = (lastEpoch + 1).toShort
      IdempotentLink.claim(known, lastEpoch)
    }

    def opened(connection: EventHubsProducer, link: IdempotentLink): Unit = {
      if (known.isEmpty) nextNumber = link.grant.lastNumber + 1
      if (known.isEmpty) confirmedNumber = link.grant.lastNumber
      known = Some(link.grant.id)
      lastEpoch = link.grant.epoch
      isForgotten = link.grant.lastNumber < confirmedNumber
      wasGranted = true
      openOn = Some(connection)
      current = Some(link)
      isOpen = true
    }

    /** Takes another id with the next link. */
    def startAgain(): Unit = {
      close()
      known = None
      lastEpoch = -1
      nextNumber = 0
      confirmedNumber = BeforeFirst
    }

    def close(): Unit = {
      isOpen = false
      current.foreach(_.close())
      current = None
    }
  }

  private val BeforeFirst = -1
}
