package localhub.amqp.link

import java.time.Duration

import org.apache.qpid.proton.engine.{Delivery, Link}

import localhub.amqp.{AmqpFailure, ServerContext}

/** The broker's end of one open link. Runs on the connection's thread only. */
private[amqp] trait LinkHandler {

  /** What a token has to allow for this link, all the time that it is open. */
  def requires: Option[Access] = None

  /** A delivery, or another part of it, has arrived. */
  def onDelivery(delivery: Delivery): Unit = ()

  /** The peer has sent a flow for this link. */
  def onFlow(): Unit = ()

  /** The link is gone, by whichever side or with its connection: release what was taken. */
  def onClosed(): Unit = ()
}

/** What a connection does for its links. */
private[amqp] trait LinkHost {
  def server: ServerContext

  /** Which connection this is, for people. */
  def connectionId: String
  def grants: ConnectionGrants

  /** Closes the link from our side. */
  def detach(link: Link, failure: AmqpFailure): Unit

  /** Lets this reader send in its turn, as long as it has events and credit. */
  def ready(reader: ReaderLink): Unit

  /** Runs `task` on the connection's thread and sends what comes of it. From any thread; never waits. */
  def execute(task: Runnable): Unit

  /** Likewise, but later. */
  def executeLater(delay: Duration, task: Runnable): Unit

  /** Likewise, as soon as `condition` is seen to be true. */
  final def executeWhen(condition: () => Boolean, task: Runnable): Unit =
    executeLater(LinkHost.PollInterval, () => if (condition()) task.run() else executeWhen(condition, task))

  /** Breaks the connection off, as a failing network does. */
  def drop(): Unit

  /** Makes the connection's tokens expire. */
  def expireTokens(): Unit
}

private object LinkHost {
  val PollInterval: Duration = Duration.ofMillis(20)
}
