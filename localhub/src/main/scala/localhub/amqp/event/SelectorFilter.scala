package localhub.amqp.event

import localhub.log.StartingPoint

/** The filter with which a reader says where to start: one comparison of one of the broker's annotations. */
private[amqp] object SelectorFilter {

  private val Comparison = """\s*amqp\.annotation\.([a-z-]+)\s*(>=?)\s*'?([^']*?)'?\s*""".r

  def parse(expression: String): Either[String, StartingPoint] = expression match {
    case Comparison(EventEncoding.Offset, _, "@latest") => Right(StartingPoint.Latest)
    case Comparison(EventEncoding.Offset, _, "-1") => Right(StartingPoint.Earliest)
    case Comparison(name, operator, value) =>
      val inclusive = operator == ">="
      value.toLongOption.toRight(s"'$value' in the filter \"$expression\" is not a whole number.").flatMap { number =>
        name match {
          case EventEncoding.Offset => Right(StartingPoint.Offset(number, inclusive))
          case EventEncoding.SequenceNumber => Right(StartingPoint.SequenceNumber(number, inclusive))
          case EventEncoding.EnqueuedTime => Right(StartingPoint.EnqueuedTime(number, inclusive))
          case other => Left(
              s"The filter \"$expression\" compares '$other'; expected ${EventEncoding.brokerAnnotations.mkString(", ")}."
            )
        }
      }
    case other => Left(s"The filter \"$other\" is not understood; expected amqp.annotation.<name> > '<value>' or >=.")
  }
}
