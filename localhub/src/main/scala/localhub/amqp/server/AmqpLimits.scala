package localhub.amqp.server

import java.time.Duration

/**
 * Limits for clients: the rules of Event Hubs, and bounds that keep a hostile client from filling the memory.
 *
 * @param toleratedSilence     idle time-out: a connection without a byte from the peer for this long is closed
 * @param shortestIdleTimeOut  a client that announces a shorter idle time-out is refused
 * @param handshake            time for a connection to be opened
 * @param lastFrames       a connection that has ended is closed after this, when its peer does not read the last frames
 * @param peersClose       likewise, when its peer has read them and does not close it
 * @param tokenGrace           an open link keeps its permission for this long after its token has expired
 * @param connectionWithoutLinks a connection without links other than `\$cbs` and `\$management` is closed after this
 * @param idleLink             a sender without events, or a reader without credit, is detached after this
 * @param connections          further connections are closed at once
 * @param waitingPerConnection   bytes of deliveries that wait for the disk, after which the connection is not read
 * @param incompletePerConnection bytes of deliveries whose last frame has not arrived; likewise `incompleteInAll`
 */
private[localhub] final case class AmqpLimits(
    toleratedSilence: Duration = Duration.ofMinutes(4),
    shortestIdleTimeOut: Duration = Duration.ofSeconds(5),
    handshake: Duration = Duration.ofMinutes(1),
    lastFrames: Duration = Duration.ofSeconds(30),
    peersClose: Duration = Duration.ofSeconds(2),
    tokenGrace: Duration = Duration.ofMinutes(5),
    connectionWithoutLinks: Duration = Duration.ofMinutes(5),
    idleLink: Duration = Duration.ofMinutes(30),
    receiversPerPartition: Int = 5,
    connections: Int = 20000,
    linksPerConnection: Int = 5000,
    waitingPerConnection: Long = 16L * 1024 * 1024,
    incompletePerConnection: Long = 64L * 1024 * 1024,
    incompleteInAll: Long = math.max(64L * 1024 * 1024, Runtime.getRuntime.maxMemory / 4)
) {

  /** These limits with room for as many incomplete deliveries in a tier of larger ones. */
  def forMessagesOf(maxBytes: Long): AmqpLimits =
    copy(incompletePerConnection = incompletePerConnection * math.max(1, maxBytes / AmqpLimits.UsualMessageBytes))

  /** These limits with the service's long times made shorter. */
  def scaledBy(factor: Double): AmqpLimits = {
    def scaled(time: Duration): Duration = Duration.ofNanos((time.toNanos * factor).toLong)
    copy(
      tokenGrace = scaled(tokenGrace),
      connectionWithoutLinks = scaled(connectionWithoutLinks),
      idleLink = scaled(idleLink)
    )
  }
}

private[localhub] object AmqpLimits {

  /** The largest message of most tiers, for which the limits are meant. */
  private val UsualMessageBytes = 1024L * 1024
}
