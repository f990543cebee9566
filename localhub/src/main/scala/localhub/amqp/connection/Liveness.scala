package localhub.amqp.connection

import localhub.amqp.server.AmqpLimits

/** Idle time-outs of a connection in both directions: detects a silent peer, and says when a heartbeat is due. */
private[amqp] final class Liveness(limits: AmqpLimits, createdNanos: Long) {
  import Liveness._

  private var receivedNow = true
  private var sentNow = true
  private var lastReceived = createdNanos
  private var lastSent = createdNanos

  // Traffic only sets a flag, and the next check reads the clock: cheap, and exact enough at several checks a second.
  def received(): Unit = receivedNow = true
  def sent(): Unit = sentNow = true

  /** @param remoteIdleMillis the peer's idle time-out; 0 when it has none */
  def check(nowNanos: Long, open: Boolean, remoteIdleMillis: Long): State = {
    if (receivedNow) lastReceived = nowNanos
    if (sentNow) lastSent = nowNanos
    receivedNow = false
    sentNow = false
    val tolerated = (if (open) limits.toleratedSilence else limits.handshake).toMillis
    val silentMillis = if (open) (nowNanos - lastReceived) / 1000000L else (nowNanos - createdNanos) / 1000000L
    if (silentMillis > tolerated) Silent(tolerated)
    else if (
      open && remoteIdleMillis > 0 && (nowNanos - lastSent) / 1000000L >= remoteIdleMillis * 7 / 8 - CheckMillis
    ) {
      sentNow = true
      HeartbeatDue
    } else Alive
  }
}

private[amqp] object Liveness {

  /** Checks are this far apart, and a heartbeat has to leave in time. */
  private val CheckMillis = 100

  sealed trait State
  case object Alive extends State
  case object HeartbeatDue extends State
  final case class Silent(toleratedMillis: Long) extends State
}
