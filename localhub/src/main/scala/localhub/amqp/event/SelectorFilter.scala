package localhub.amqp.event

import localhub.log.StartingPoint

/** A reader's start filter: one comparison with one of the broker's annotations. */
private[amqp] object SelectorFilter {

  private val Comparison = """\s*amqp\.annotation\.([a-z-]+)\s*(>=?)\s*'?([^']*?)'?\s*""".r

  /** @param isReplicated whether offsets are texts of a geo-replicated hub */
  def parse(expression: String, isReplicated: Boolean = false): Either[String, StartingPoint] = expression match {
    case Comparison(StoredEventEncoder.Offset, _, "@latest") => Right(StartingPoint.Latest)
    case Comparison(StoredEventEncoder.Offset, _, "-1") => Right(StartingPoint.Earliest)
    case Comparison(StoredEventEncoder.Offset, operator, ReplicatedOffset(number)) if isReplicated =>
      Right(StartingPoint.SequenceNumber(number, operator == ">="))
    case Comparison(name, operator, value) =>
      val inclusive = operator == ">="
      value.toLongOption.toRight(s"'$value' in the filter \"$expression\" is not a whole number.").flatMap { number =>
        name match {
          case StoredEventEncoder.Offset => Right(StartingPoint.Offset(number, inclusive))
          case StoredEventEncoder.SequenceNumber => Right(StartingPoint.SequenceNumber(number, inclusive))
          case StoredEventEncoder.EnqueuedTime => Right(StartingPoint.EnqueuedTime(number, inclusive))
          case other => Left(
              s"The filter \"$expression\" compares '$other'; expected ${StoredEventEncoder.brokerAnnotations.mkString(", ")}."
            )
        }
      }
    case other => Left(s"The filter \"$other\" is not understood; expected amqp.annotation.<name> > '<value>' or >=.")
  }
}
