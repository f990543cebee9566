package localhub.amqp.server

import java.util.WeakHashMap
import java.util.concurrent.ThreadLocalRandom

import scala.collection.mutable
import scala.util.Try

import localhub.log.{LogPosition, PartitionLog}

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

  /** Its events may be appended in their turn; [[IdempotentProducers.append]] decides then. */
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
 * Appends may wait for a disk, so events are admitted before they are stored. Only stored ones count as repeated, and
 * for the producer's next link.
 *
 * @param kept producers of a partition that have no link; those that closed theirs first are forgotten first
 */
private[amqp] final class IdempotentProducers(kept: Int = 10000) {
  import IdempotentProducers._

  private val partitions = new WeakHashMap[PartitionLog, Producers]

  /**
   * Opens a link for a producer, and ends its other links. They begin no append from now on.
   *
   * @param fenced called once when another link has taken over
   */
  def open(
      log: PartitionLog,
      claim: ProducerClaim,
      fenced: AmqpFailure => Unit
  ): Either[AmqpFailure, ProducerLink] = {
    val (result, previous) = synchronized {
      val producers = producersOf(log)
      val id = claim.id.getOrElse(newId(producers.entries))
      val known = producers.entries.get(id)
      val epoch = claim.epoch.orElse(known.map(_.newestEpoch)).getOrElse(FirstEpoch)
      known.map(_.newestEpoch).filter(_ > epoch) match {
        case Some(newer) => (Left(AmqpFailure.producerEpochStolen(id, newer, epoch)), None)
        case None =>
          val producer = known.getOrElse(new Producer(id, epoch, BeforeFirst))
          val link = new ProducerLink(log, producer, epoch, claim.lastSequenceNumber, fenced)
          val previous = producer.link
          producer.link = Some(link)
          producers.open(producer)
          (Right(link), previous.map(other => other -> AmqpFailure.producerEpochStolen(id, epoch, other.epoch)))
      }
    }
    previous.foreach { case (other, failure) => other.fenced(failure) }
    result
  }

  /**
   * The state that the link starts with; its number is the claimed one, or else that of the last stored event. None
   * while an append of an earlier link runs, because its events may become stored ones.
   */
  def start(link: ProducerLink): Option[ProducerState] = synchronized {
    val producer = link.producer
    Option.when(!producer.isAppending) {
      if (owns(link)) {
        // In the same epoch the server knows which events are stored, so a claim can only raise the number.
        link.claimed.foreach { claimed =>
          producer.stored = if (producer.epoch == link.epoch) math.max(claimed, producer.stored) else claimed
        }
        producer.epoch = link.epoch
        link.admitted = Some(producer.stored)
      }
      // A producer repeats what follows the number that it claims. What is stored of that is found then.
      ProducerState(producer.id, link.epoch, link.claimed.getOrElse(producer.stored))
    }
  }

  /** Forgets a link that has closed, but not its producer. Does nothing when another link has taken over. */
  def linkClosed(link: ProducerLink): Unit = synchronized {
    if (owns(link)) {
      link.producer.link = None
      producersOf(link.log).closed(link.producer.id, kept)
    }
  }

  /** Decides on `count` events from `first` on when they arrive. */
  def admit(link: ProducerLink, first: Int, count: Int): Admission = synchronized {
    val last = first + count - 1
    link.admitted.filter(_ => owns(link)) match {
      case None => fencedOff(link)
      case Some(_) if last <= link.producer.stored => Admission.Repeated
      case Some(admitted) if first == admitted + 1 =>
        link.admitted = Some(last)
        Admission.Store
      // A repeat of events that wait for their append. It comes after them.
      case Some(admitted) if last <= admitted => Admission.Store
      case Some(admitted) => Admission.Refused(AmqpFailure.outOfOrderSequence(link.producer.id, first, admitted))
    }
  }

  /**
   * Appends admitted events when their turn has come, unless the link has lost its producer, an earlier batch could not
   * be stored, or they are stored by now.
   *
   * @return the result of `store`, or what was decided instead of an append
   */
  def append(link: ProducerLink, first: Int, count: Int)(
      store: => Try[LogPosition]
  ): Either[Admission, Try[LogPosition]] = {
    val producer = link.producer
    val last = first + count - 1
    val decided = synchronized {
      if (!owns(link)) Some(fencedOff(link))
      else if (last <= producer.stored) Some(Admission.Repeated)
      else if (first != producer.stored + 1)
        Some(Admission.Refused(AmqpFailure.outOfOrderSequence(producer.id, first, producer.stored)))
      else {
        producer.isAppending = true
        None
      }
    }
    decided.toLeft {
      var isStored = false
      try {
        val result = store
        isStored = result.isSuccess
        result
      } finally ended(link, if (isStored) Some(last) else None)
    }
  }

  /** @param stored None when the append failed: its events, and those after them, are to be sent again */
  private def ended(link: ProducerLink, stored: Option[Int]): Unit = synchronized {
    val producer = link.producer
    stored.foreach(producer.stored = _)
    link.admitted = link.admitted.map(admitted => stored.fold(producer.stored)(math.max(admitted, _)))
    producer.isAppending = false
  }

  private def fencedOff(link: ProducerLink): Admission =
    Admission.Refused(AmqpFailure.producerEpochStolen(link.producer.id, link.producer.newestEpoch, link.epoch))

  private def owns(link: ProducerLink): Boolean =
    producersOf(link.log).entries.get(link.producer.id).exists(_.link.exists(_ eq link))

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

  private def newId(taken: mutable.Map[Long, Producer]): Long =
    Iterator.continually(ThreadLocalRandom.current.nextLong(1, Int.MaxValue.toLong)).filterNot(taken.contains).next()
}
