package localhub.amqp.connection

import scala.collection.mutable
import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

import localhub.LocalHubException
import localhub.amqp.link.ReaderLink
import localhub.amqp.server.AmqpFailure

/**
 * Lets the readers of one connection that have something to send do so round-robin, so that none starves the others.
 */
private[amqp] final class RoundRobinScheduler {
  import RoundRobinScheduler._

  private val ready = mutable.LinkedHashSet.empty[ReaderLink]
  private val blocked = mutable.LinkedHashSet.empty[ReaderLink]

  def nonEmpty: Boolean = ready.nonEmpty

  def add(reader: ReaderLink): Unit = { ready += reader; () }

  def remove(reader: ReaderLink): Unit = {
    ready -= reader
    blocked -= reader
    ()
  }

  /** Retries the blocked readers: a session window may be open again. */
  def release(): Unit = if (blocked.nonEmpty) {
    ready ++= blocked
    blocked.clear()
  }

  /** The next reader sends a slice; `flush` turns its deliveries into frames. */
  def next(flush: () => Unit): Unit = {
    val reader = ready.head
    ready -= reader
    val more =
      try reader.send(SliceBytes)
      catch {
        case NonFatal(e) =>
          log.warn("A partition could not be read; its reader is detached.", e)
          reader.disconnect(
            AmqpFailure.internal(s"The partition could not be read: ${LocalHubException.forClients(e)}")
          )
          false
      }
    flush()
    if (reader.isWindowClosed) blocked += reader else if (more) ready += reader
  }
}

private object RoundRobinScheduler {
  private val log = LoggerFactory.getLogger(classOf[RoundRobinScheduler])

  val SliceBytes: Int = 64 * 1024
}
