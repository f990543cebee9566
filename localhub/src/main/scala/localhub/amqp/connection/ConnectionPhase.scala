package localhub.amqp.connection

/** The phase of a connection, which decides what bytes the peer may send. */
private[amqp] sealed abstract class ConnectionPhase(val expectsHeader: Boolean)

private[amqp] object ConnectionPhase {
  final case class AwaitHeader(saslDone: Boolean) extends ConnectionPhase(expectsHeader = true)
  case object Sasl extends ConnectionPhase(expectsHeader = false)
  case object AwaitOpen extends ConnectionPhase(expectsHeader = false)
  case object Open extends ConnectionPhase(expectsHeader = false)
  case object Closed extends ConnectionPhase(expectsHeader = false)
}
