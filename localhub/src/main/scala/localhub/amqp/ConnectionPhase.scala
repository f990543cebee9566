package localhub.amqp

/** How far a connection has got; each phase expects other bytes of the peer. */
private[amqp] sealed abstract class ConnectionPhase(val expectsHeader: Boolean)
private[amqp] object ConnectionPhase {
  final case class AwaitHeader(saslDone: Boolean) extends ConnectionPhase(expectsHeader = true)
  case object Sasl extends ConnectionPhase(expectsHeader = false)
  case object AwaitOpen extends ConnectionPhase(expectsHeader = false)
  case object Open extends ConnectionPhase(expectsHeader = false)
  case object Closed extends ConnectionPhase(expectsHeader = false)
}
