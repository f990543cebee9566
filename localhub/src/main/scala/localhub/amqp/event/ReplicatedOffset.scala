package localhub.amqp.event

import localhub.log.LogPosition

/** The offsets of a geo-replicated hub: texts `epoch:offset:sequence number`, such as `1:3500:35`. */
private[amqp] object ReplicatedOffset {

  private val Text = """(\d+):(\d+):(\d+)""".r

  def text(epoch: Int, position: LogPosition): String = s"$epoch:${position.offset}:${position.sequenceNumber}"

  /** The sequence number in an offset; None for another text. */
  def unapply(offset: String): Option[Long] = offset match {
    case Text(_, _, number) => number.toLongOption
    case _ => None
  }
}
