package localhub.amqp.server

import java.util.WeakHashMap
import java.util.concurrent.ThreadLocalRandom

import scala.collection.mutable

import localhub.log.PartitionLog

/**
 * What a producer asks for when it opens an idempotent link; the server chooses what it leaves out.
 *
 * @param lastSequenceNumber of the last event that the producer has sent
 */
private[amqp] final case class ProducerClaim(
    id: Option[Long],
    epoch: Option[Short],
    lastSequenceNumber: Option[Int]
)

/** The state of an idempotent producer on one partition. -1 is before the first event. */
private[amqp] final case class ProducerState(id: Long, epoch: Short, lastSequenceNumber: Int)

/** What happens to a delivery of an idempotent producer. */
private[amqp] sealed trait Admission

private[amqp] object Admission {
  case object Store extends Admission

  /** Its events are stored already. */
  case object Repeated extends Admission
  final case class Refused(failure: AmqpFailure) extends Admission
}

/**
 * Idempotent producers per partition: a producer id has an epoch, which fences older links, and a sequence number,
 * which finds repeated and missing events. In memory, so a restart of the hub forgets them. A promotion does so too,
 * because the secondary region may lack events that count as stored. Thread-safe.
 *
 * @param kept producers of a partition that have no link; those that closed theirs first are forgotten first
 */
private[amqp] final class IdempotentProducers(kept: Int = 10000) {
  import IdempotentProducers._

  private val partitions = new WeakHashMap[PartitionLog, Producers]

  /**
   * Opens a link for a producer, and ends its other links.
   *
   * @param fenced called once when another link has taken over
   * @return the state that the link starts with; its number is the claimed one, or else that of the last stored event
   */
  def open(
      log: PartitionLog,
      claim: ProducerClaim,
      fenced: AmqpFailure => Unit
  ): Either[AmqpFailure, ProducerState] = {
    val (result, previous) = synchronized {
      val producers = producersOf(log)
      val entries = producers.entries
      val id = claim.id.getOrElse(newId(entries))
      val known = entries.get(id)
      val epoch = claim.epoch.orElse(known.map(_.state.epoch)).getOrElse(FirstEpoch)
      known.filter(_.state.epoch > epoch) match {
        case Some(newer) => (Left(AmqpFailure.producerEpochStolen(id, newer.state.epoch, epoch)), None)
        case None =>
          val state = ProducerState(id, epoch, lastSequenceNumber(claim, known.map(_.state), epoch))
          producers.open(id, new Entry(state, Some(fenced)))
          // A producer repeats what follows the number that it claims. What is stored of that is found then.
          val answer = claim.lastSequenceNumber.fold(state)(claimed => state.copy(lastSequenceNumber = claimed))
          (Right(answer), known.map(_ -> state))
      }
    }
    previous.foreach { case (other, state) =>
      other.fenced.foreach(_(AmqpFailure.producerEpochStolen(state.id, state.epoch, other.state.epoch)))
    }
    result
  }

  /** Forgets a link that has closed, but not its producer. Does nothing when another link has taken over. */
  def linkClosed(log: PartitionLog, producer: ProducerState, fenced: AmqpFailure => Unit): Unit = synchronized {
    entry(log, producer).filter(_.fenced.exists(_ eq fenced)).foreach { own =>
      own.fenced = None
      producersOf(log).closed(producer.id, kept)
    }
  }

  /** Decides on `count` events from `first` on, and counts them as stored if they are to be. */
  def admit(log: PartitionLog, producer: ProducerState, first: Int, count: Int): Admission = synchronized {
    entry(log, producer) match {
      case None => Admission.Refused(AmqpFailure.producerEpochStolen(producer.id, producer.epoch, producer.epoch))
      case Some(own) =>
        val last = own.state.lastSequenceNumber
        if (first == last + 1) {
          own.state = own.state.copy(lastSequenceNumber = last + count)
          Admission.Store
        } else if (first > last || first + count - 1 > last)
          Admission.Refused(AmqpFailure.outOfOrderSequence(producer.id, first, last))
        else Admission.Repeated
    }
  }

  /** The events from `first` on were not stored after all. Never raises the last number. */
  def rollBack(log: PartitionLog, producer: ProducerState, first: Int): Unit = synchronized {
    entry(log, producer).filter(_.state.lastSequenceNumber >= first).foreach { own =>
      own.state = own.state.copy(lastSequenceNumber = first - 1)
    }
  }

  private def entry(log: PartitionLog, producer: ProducerState): Option[Entry] =
    producersOf(log).entries.get(producer.id).filter(_.state.epoch == producer.epoch)

  private def producersOf(log: PartitionLog): Producers = {
    val known = partitions.computeIfAbsent(log, _ => new Producers)
    val promotions = log.epochAt(Long.MaxValue)
    if (known.promotions != promotions) known.clear()
    known.promotions = promotions
    known
  }
}

private object IdempotentProducers {
  val FirstEpoch: Short = 0
  val BeforeFirst = -1

  /** The producers of one partition since the promotion with this epoch. */
  final class Producers {
    val entries = mutable.Map.empty[Long, Entry]
    var promotions = Option.empty[Int]

    /** The ids of those without a link, in the order in which they closed it. */
    private val withoutLink = mutable.LinkedHashSet.empty[Long]

    def open(id: Long, entry: Entry): Unit = {
      entries(id) = entry
      withoutLink -= id
    }

    def closed(id: Long, kept: Int): Unit = {
      withoutLink += id
      if (withoutLink.size > kept) {
        entries -= withoutLink.head
        withoutLink -= withoutLink.head
      }
    }

    def clear(): Unit = {
      entries.clear()
      withoutLink.clear()
    }
  }

  /** @param fenced of the producer's link; None when it has closed */
  final class Entry(var state: ProducerState, var fenced: Option[AmqpFailure => Unit])

  /** In the same epoch the server knows which events are stored, so a claim can only raise the number. */
  private def lastSequenceNumber(claim: ProducerClaim, known: Option[ProducerState], epoch: Short): Int =
    claim.lastSequenceNumber match {
      case Some(claimed) =>
        known.filter(_.epoch == epoch).fold(claimed)(state => math.max(claimed, state.lastSequenceNumber))
      case None => known.fold(BeforeFirst)(_.lastSequenceNumber)
    }

  private def newId(taken: mutable.Map[Long, Entry]): Long =
    Iterator.continually(ThreadLocalRandom.current.nextLong(1, Int.MaxValue.toLong)).filterNot(taken.contains).next()
}
