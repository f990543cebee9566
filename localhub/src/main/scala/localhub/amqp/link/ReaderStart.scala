package localhub.amqp.link

import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

import localhub.LocalHubException
import localhub.amqp.fault.{FaultAction, FaultHit}
import localhub.amqp.server.AmqpFailure
import localhub.log.{LogBounds, PartitionLog, StartingPoint}

/** Computes where a reader starts, or why it is refused. */
private[amqp] object ReaderStart {
  private val logger = LoggerFactory.getLogger(getClass)

  def isReplicated(log: PartitionLog): Boolean = log.epochAt(0).isDefined

  /** The sequence number of the first event to send; this may be the next event to arrive. */
  def of(log: PartitionLog, start: StartingPoint): Either[AmqpFailure, Long] =
    wrongKind(log, start).orElse(beyondEnd(log.bounds, start)) match {
      case Some(failure) => Left(failure)
      case None =>
        try Right(log.sequenceNumberAt(start))
        catch {
          case NonFatal(e) =>
            logger.warn("A partition could not be read; its reader is refused.", e)
            Left(AmqpFailure.internal(s"The partition could not be read: ${LocalHubException.forClients(e)}"))
        }
    }

  /** With a fault that sends older events first, a reader starts before the event that it has asked for. */
  def early(log: PartitionLog, wanted: Long, fault: Option[FaultHit]): Long = fault.map(_.action) match {
    case Some(FaultAction.OlderFirst(events)) => math.max(log.bounds.beginSequenceNumber, wanted - events)
    case _ => wanted
  }

  private def wrongKind(log: PartitionLog, start: StartingPoint): Option[AmqpFailure] = start match {
    case StartingPoint.Offset(value, _) if isReplicated(log) => Some(AmqpFailure.replicatedOffset(value))
    case _ => None
  }

  // As the service does: a reader may wait for the next event, but not start after it.
  private def beyondEnd(bounds: LogBounds, start: StartingPoint): Option[AmqpFailure] = start match {
    case StartingPoint.SequenceNumber(value, inclusive) =>
      val last = bounds.lastSequenceNumber
      val latest = if (inclusive) last + 1 else last
      Option.when(value > latest)(AmqpFailure.startBeyondEnd("sequence number", value, last))
    case StartingPoint.Offset(value, _) =>
      Option.when(value > bounds.lastOffset)(AmqpFailure.startBeyondEnd("offset", value, bounds.lastOffset))
    case StartingPoint.Earliest | StartingPoint.Latest | StartingPoint.EnqueuedTime(_, _) => None
  }
}
