package localhub.amqp.event

import org.apache.qpid.proton.amqp.{DescribedType, Symbol, UnsignedLong}

import localhub.log.StartingPoint

/** A reader's start filter: one comparison with one of the broker's annotations. */
private[amqp] object SelectorFilter {

  private val Comparison = """\s*amqp\.annotation\.([a-z-]+)\s*(>=?)\s*'?([^']*?)'?\s*""".r

  /** What makes an entry of a filter map a selector. Its key is any name: each client library has its own. */
  private val descriptors =
    Set[AnyRef](Symbol.valueOf("apache.org:selector-filter:string"), UnsignedLong.valueOf(0x0000468c00000004L))

  /** Another name of [[StoredEventEncoder.EnqueuedTime]], from the time of the service's first SDKs. */
  private val OldEnqueuedTime = "x-opt-enqueuedtimeutc"

  /** The expression of an entry in a filter map; None for an entry that is no selector. */
  def unapply(entry: AnyRef): Option[String] = entry match {
    case described: DescribedType if descriptors(described.getDescriptor) =>
      Option(described.getDescribed).collect { case text: String => text }
    case _ => None
  }

  /** @param isReplicated whether offsets are texts of a geo-replicated hub */
  def parse(expression: String, isReplicated: Boolean = false): Either[String, StartingPoint] = expression match {
    case Comparison(StoredEventEncoder.Offset, _, "@latest") => Right(StartingPoint.Latest)
    case Comparison(StoredEventEncoder.Offset, _, "-1") => Right(StartingPoint.Earliest)
    case Comparison(StoredEventEncoder.Offset, operator, ReplicatedOffset(number)) if isReplicated =>
      Right(StartingPoint.SequenceNumber(number, operator == ">="))
    case Comparison(name, operator, value) =>
      val inclusive = operator == ">="
      value.toLongOption.toRight(invalid(expression, s"'$value' is not a whole number.")).flatMap { number =>
        name match {
          case StoredEventEncoder.Offset => Right(StartingPoint.Offset(number, inclusive))
          case StoredEventEncoder.SequenceNumber => Right(StartingPoint.SequenceNumber(number, inclusive))
          case StoredEventEncoder.EnqueuedTime | OldEnqueuedTime => Right(StartingPoint.EnqueuedTime(number, inclusive))
          case _ => Left(invalid(expression, s"Expected ${comparable.mkString(", ")}."))
        }
      }
    case _ => Left(invalid(expression, "Expected amqp.annotation.<name> > '<value>' or >=."))
  }

  private def comparable =
    Seq(StoredEventEncoder.Offset, StoredEventEncoder.SequenceNumber, StoredEventEncoder.EnqueuedTime)

  /** The service's words, with a hint of the local hub behind them. */
  private def invalid(expression: String, hint: String): String =
    s"The filter '$expression' is not a valid amqp filter for EventHub entities. $hint"
}
