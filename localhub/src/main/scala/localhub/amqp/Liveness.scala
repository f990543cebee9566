package localhub.amqp

/** Watches over both directions of a connection: whether the peer is silent for too long, and whether we are. */
private[amqp] final class Liveness(limits: AmqpLimits, createdNanos: Long) {
  import Liveness._

  private var receivedNow = true
  private var sentNow = true
  private var lastReceived = createdNanos
  private var lastSent = createdNanos

  // Traffic only sets a flag, and the next check takes the time for it: cheap, and exact enough at several checks a second.
  def received(): Unit = receivedNow = true
  def sent(): Unit = sentNow = true

  /** @param remoteIdleMillis after how much silence of ours the peer gives up; 0 when it does not */
  def check(nowNanos: Long, open: Boolean, remoteIdleMillis: Long): State = {
    if (receivedNow) lastReceived = nowNanos
    if (sentNow) lastSent = nowNanos
    receivedNow = false
    sentNow = false
    val tolerated = (if (open) limits.toleratedSilence else limits.handshake).toMillis
    val silentMillis = if (open) (nowNanos - lastReceived) / 1000000L else (nowNanos - createdNanos) / 1000000L
    if (silentMillis > tolerated) Silent(tolerated)
    else if (open && remoteIdleMillis > 0 && (nowNanos - lastSent) / 1000000L >= remoteIdleMillis / 2) {
      sentNow = true
      HeartbeatDue
    } else Alive
  }
}

private[amqp] object Liveness {

  sealed trait State
  case object Alive extends State
  case object HeartbeatDue extends State
  final case class Silent(toleratedMillis: Long) extends State
}
