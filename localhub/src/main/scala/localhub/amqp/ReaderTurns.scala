package localhub.amqp

import scala.collection.mutable
import scala.util.control.NonFatal

import org.slf4j.LoggerFactory

import localhub.amqp.link.ReaderLink

/** The readers of one connection that have something to send, taking turns so that none starves the others. */
private[amqp] final class ReaderTurns {
  import ReaderTurns._

  private val ready = mutable.LinkedHashSet.empty[ReaderLink]
  private val heldBack = mutable.LinkedHashSet.empty[ReaderLink]

  def nonEmpty: Boolean = ready.nonEmpty

  def add(reader: ReaderLink): Unit = { ready += reader; () }

  def remove(reader: ReaderLink): Unit = {
    ready -= reader
    heldBack -= reader
    ()
  }

  /** A session's window may be open again. */
  def release(): Unit = if (heldBack.nonEmpty) {
    ready ++= heldBack
    heldBack.clear()
  }

  /** The next reader sends a slice; `flush` turns what it handed to the engine into frames. */
  def next(flush: () => Unit): Unit = {
    val reader = ready.head
    ready -= reader
    val more =
      try reader.send(SliceBytes)
      catch {
        case NonFatal(e) =>
          log.warn("A partition could not be read; its reader is detached.", e)
          reader.disconnect(AmqpFailure.internal(s"The partition could not be read: $e"))
          false
      }
    flush()
    if (reader.isHeldBack) heldBack += reader else if (more) ready += reader
  }
}

private object ReaderTurns {
  private val log = LoggerFactory.getLogger(classOf[ReaderTurns])

  val SliceBytes: Int = 64 * 1024
}
