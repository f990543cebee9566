package localhub.amqp.link

import java.time.Duration

import org.apache.qpid.proton.engine.{Link, Session}

import localhub.amqp.server.{AmqpFailure, ServerContext, WaitingBytes}

/** What a connection does for its links. */
private[amqp] trait LinkContext {
  def server: ServerContext

  /** Name of the connection, for display. */
  def connectionId: String

  /** The service's host name as the client wrote it; empty when it wrote none. */
  def hostname: String
  def grants: ConnectionGrants

  /** The connection's deliveries that wait for the disk. */
  def waiting: WaitingBytes

  /** Closes the link from the server's side. */
  def detach(link: Link, failure: AmqpFailure): Unit

  /** Ends a session with its links from the server's side. */
  def end(session: Session, failure: AmqpFailure): Unit

  /** Schedules this reader; it sends while it has events and credit. */
  def ready(reader: ReaderLink): Unit

  /** Runs `task` on the connection's thread and sends the resulting frames. Call from any thread; does not block. */
  def execute(task: Runnable): Unit

  /** Executes `task` after `delay`. */
  def executeLater(delay: Duration, task: Runnable): Unit

  /** Executes `task` once `condition` is true; it is polled. */
  final def executeWhen(condition: () => Boolean, task: Runnable): Unit =
    executeLater(LinkContext.PollInterval, () => if (condition()) task.run() else executeWhen(condition, task))

  /** Closes the socket without a close frame, as a network failure does. */
  def drop(): Unit

  /** Expires the connection's tokens. */
  def expireTokens(): Unit
}

private[link] object LinkContext {
  val PollInterval: Duration = Duration.ofMillis(20)
}
