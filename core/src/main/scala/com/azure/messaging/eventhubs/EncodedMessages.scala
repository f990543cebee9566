package com.azure.messaging.eventhubs

import org.apache.qpid.proton.engine.Session
import org.apache.qpid.proton.message.Message
import reactor.core.CoreSubscriber
import reactor.core.publisher.{Flux, Operators}

/** Takes the encoded messages of a link, on the connection's thread. */
private trait EncodedReader {

  def window: ReceiveWindow

  /** Whether it takes no more messages. */
  def isOver: Boolean

  /** @param message must not be changed */
  def onMessage(message: Array[Byte]): Unit

  def onFailure(error: Throwable): Unit
}

/**
 * Passes a link's messages to one reader without a queue: the link's credit is what the reader has requested, and the
 * window of its session is the room that the reader has for bytes. It is a Flux only because the SDK's links have one.
 */
private final class EncodedMessages extends Flux[Message] {

  // Only the connection's thread uses these two.
  private var session = Option.empty[Session]
  private var partialBytes = 0

  @volatile private var askForRest = Option.empty[DrainRequest => Unit]
  @volatile private var reader = Option.empty[EncodedReader]

  override def subscribe(subscriber: CoreSubscriber[_ >: Message]): Unit =
    Operators.error(subscriber, new IllegalStateException("the messages of this link are not decoded"))

  def readBy(next: EncodedReader): Unit = reader = Some(next)

  /** @param drain asks the service for the rest of the messages; called on the connection's own thread */
  def opened(by: Session, drain: DrainRequest => Unit): Unit = {
    session = Some(by)
    askForRest = Some(drain)
  }

  /** Asks the service whether the link has got all messages. */
  def drain(request: DrainRequest): Unit = askForRest.foreach(_.apply(request))

  /** @param bytes of the incomplete message that have arrived so far */
  def arriving(bytes: Int): Unit = {
    partialBytes = bytes
    updateWindow()
  }

  def emit(message: Array[Byte]): Unit = {
    partialBytes = 0
    val current = reader
    if (current.isDefined) current.get.onMessage(message)
    updateWindow()
  }

  def fail(error: Throwable): Unit = reader.foreach(_.onFailure(error))

  /** Before a flow frame, which is rare enough to look at all that the reader has taken. */
  def announceWindow(): Unit = {
    reader.foreach(_.window.refresh())
    updateWindow()
  }

  /**
   * The next flow frame announces the window that follows from this capacity. Proton-j sends one with new credit, and
   * when the window has closed. It subtracts what it holds itself. A capacity of 0 would mean no limit.
   */
  private def updateWindow(): Unit = {
    val current = reader
    if (session.isDefined && current.isDefined && !current.get.isOver) {
      val room = current.get.window.room(partialBytes)
      session.get.setIncomingCapacity(math.max(1, session.get.getIncomingBytes + room))
    }
  }
}
