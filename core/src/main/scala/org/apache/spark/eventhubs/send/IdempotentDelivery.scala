package org.apache.spark.eventhubs.send

import java.time.Duration
import java.util.concurrent.CompletableFuture

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.eventhubs.connection.{EventBatch, EventHubsProducer, IdempotentLink, ProducerLease}
import org.apache.spark.eventhubs.options.WriteDestination
import org.apache.spark.eventhubs.options.WriteDestination.ToPartition
import org.apache.spark.internal.Logging
import org.apache.spark.util.Clock

/**
 * Sends as idempotent producers: one for each partition that the task writes to, each with a link of its own. A new
 * link of a producer has a higher epoch, so the service refuses everything that still arrives over the links before it,
 * however late. Its answer says which event it stored last.
 *
 * @param calls    for opening links
 * @param readBack for what the service's answer does not decide, and where it grants no such producer
 */
private[eventhubs] final class IdempotentDelivery(
    lease: ProducerLease,
    limits: SendLimits,
    calls: ProducerCalls,
    clock: Clock,
    readBack: BatchDelivery
) extends BatchDelivery
    with Logging {

  import IdempotentDelivery._

  private val producers = mutable.HashMap.empty[ToPartition, PartitionProducer]

  /** Whether the service grants such producers; assumed until it has refused one. */
  private var granted = true

  override def settleTime: Option[Duration] = readBack.settleTime

  override def spreads: Boolean = granted

  override def newBatch(destination: WriteDestination): EventBatch =
    openFor(destination).fold(readBack.newBatch(destination))(_.link.newBatch(limits.maxBatchBytes))

  override def isReady(destination: WriteDestination): Boolean = destination match {
    case partition: ToPartition if granted =>
      producers.get(partition).exists(of => of.isOpenOn(lease.producer) && !of.isFull && !of.isForgotten)
    case _ => true
  }

  override def prepare(batch: InFlightBatch): Unit = if (batch.batch.isNumbered) {
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

  override def connection(batch: InFlightBatch): EventHubsProducer =
    if (batch.batch.isNumbered) of(batch).get.connection else readBack.connection(batch)

  override def send(batch: InFlightBatch, over: EventHubsProducer): CompletableFuture[Unit] =
    if (batch.batch.isNumbered) {
      val producer = of(batch).get
      val first = batch.firstNumber.getOrElse(producer.nextNumber)
      if (batch.firstNumber.isEmpty) {
        batch.firstNumber = Some(first)
        producer.nextNumber += batch.count
      }
      batch.batch.number(producer.id, producer.epoch, first)
      producer.link.send(batch.batch)
    } else readBack.send(batch, over)

  override def confirmed(batch: InFlightBatch): Unit =
    if (batch.firstNumber.isDefined) of(batch).foreach(_.confirmedNumber = batch.lastNumber)

  override def linkLost(batch: InFlightBatch): Unit = if (batch.batch.isNumbered) of(batch).foreach(_.isOpen = false)

  /** From now on nothing of the batches for which a new link has opened can arrive, so nothing is waited for. */
  override def stored(inDoubt: Seq[(InFlightBatch, EventHubsProducer)]): Seq[InFlightBatch] = {
    val answers = inDoubt.map { case sent @ (batch, _) => sent -> isStored(batch) }
    val unknown = answers.collect { case (sent, None) => sent }
    answers.collect { case ((batch, _), Some(true)) => batch } ++
      (if (unknown.isEmpty) Nil else readBack.stored(unknown))
  }

  /** New links shut out what may still arrive. */
  override def arrivalTime(inDoubt: Seq[(InFlightBatch, EventHubsProducer)]): Duration = {
    val time = readBack.arrivalTime(inDoubt)
    if (!time.isZero && shutOut(inDoubt.map(_._1), time)) Duration.ZERO else time
  }

  override def close(): Unit = producers.values.foreach(_.close())

  /**
   * Whether a batch without an answer is stored, as the service says.
   *
   * @return None when the service does not know the producer, which then starts again with another id; or when the
   *         batch is of no producer
   */
  private def isStored(batch: InFlightBatch): Option[Boolean] =
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

  private def shutOut(batches: Seq[InFlightBatch], within: Duration): Boolean = {
    // The task was cancelled, perhaps, and stays until this has ended.
    val calls = new ProducerCalls(lease, within, Int.MaxValue, clock, checkCancelled = () => ())
    try
      batches.forall(_.batch.isNumbered) && {
        batches.flatMap(of).distinct.foreach(reopen(_, calls))
        true
      }
    catch {
      case interrupted: InterruptedException => throw interrupted
      case NonFatal(failed) =>
        logWarning(s"The late events of a task cannot be shut out: ${failed.getMessage}")
        false
    }
  }

  private def of(batch: InFlightBatch): Option[PartitionProducer] = batch.queue.destination match {
    case partition: ToPartition => producers.get(partition)
    case _ => None
  }

  /** The producer for batches to this destination, with an open link. None if there is no such producer. */
  private def openFor(destination: WriteDestination): Option[PartitionProducer] = destination match {
    case partition: ToPartition if granted =>
      val producer = producers.getOrElseUpdate(partition, new PartitionProducer(partition))
      if (!producer.isOpenOn(lease.producer)) reopen(producer, calls)
      Option.when(producer.isOpen)(producer)
    case _ => None
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

private object IdempotentDelivery {

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
