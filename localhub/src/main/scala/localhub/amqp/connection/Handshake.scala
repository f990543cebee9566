package localhub.amqp.connection

import org.apache.qpid.proton.amqp.security.{SaslFrameBody, SaslInit}
import org.apache.qpid.proton.amqp.transport.{FrameBody, Open}
import org.slf4j.LoggerFactory

import localhub.amqp.engine.{FramingException, SaslServer}
import localhub.amqp.link.ConnectionGrants
import localhub.auth.TokenValidator

/** The start of a connection up to its open frame: protocol headers and optional SASL. */
private[amqp] final class Handshake(sasl: SaslServer, tokens: TokenValidator, grants: ConnectionGrants) {
  import Handshake._

  private var current: ConnectionPhase = ConnectionPhase.AwaitHeader(saslDone = false)

  def phase: ConnectionPhase = current

  /** The connection has ended. */
  def end(): Unit = current = ConnectionPhase.Closed

  def onProtocolHeader(protocol: Int): Unit = (current, protocol) match {
    case (ConnectionPhase.AwaitHeader(false), SaslProtocol) =>
      sasl.writeProtocolHeader(SaslProtocol)
      sasl.offerMechanisms()
      current = ConnectionPhase.Sasl
    case (_, AmqpProtocol) =>
      sasl.writeProtocolHeader(AmqpProtocol)
      current = ConnectionPhase.AwaitOpen
    case _ =>
      // As the specification says for an unsupported protocol: send the supported header and close.
      sasl.writeProtocolHeader(SaslProtocol)
      end()
  }

  def onSaslFrame(body: SaslFrameBody): Unit = (current, body) match {
    case (ConnectionPhase.Sasl, init: SaslInit) =>
      val accepted = SaslServer.plainCredentials(init) match {
        case Some((policy, key)) =>
          val grant = tokens.authorizeKey(policy, key)
          grant.foreach(grants.add)
          if (grant.isEmpty) log.warn(s"The policy '$policy' or its key in a SASL PLAIN response is refused.")
          grant.nonEmpty
        case None => true
      }
      sasl.writeOutcome(accepted)
      current = if (accepted) ConnectionPhase.AwaitHeader(saslDone = true) else ConnectionPhase.Closed
    case _ => throw new FramingException("A SASL frame came where none is expected.")
  }

  /** Checks the order of frames: one open frame, then all others. */
  def onFrame(body: FrameBody): Unit = (current, body) match {
    case (ConnectionPhase.AwaitOpen, _: Open) => current = ConnectionPhase.Open
    case (ConnectionPhase.Open, other) if !other.isInstanceOf[Open] => ()
    case _ => throw new FramingException(s"A ${body.getClass.getSimpleName} frame came where none is expected.")
  }
}

private object Handshake {
  private val log = LoggerFactory.getLogger(classOf[Handshake])

  val AmqpProtocol = 0
  val SaslProtocol = 3
}
