package com.azure.messaging.eventhubs

import java.util.concurrent.atomic.AtomicLong

/**
 * Bounds the bytes that wait for the reader of one link: the messages that it has not taken, and the frames of the
 * message that is arriving. A link's credit counts messages of any size, so it cannot. The room that is left is the
 * incoming window of the link's session. Without room the service sends nothing.
 *
 * The announced window must never become smaller than what was announced before minus the frames that came: the service
 * and proton-j would compute a negative number of frames and take it for a very large one. So every message counts as
 * what its frames counted, also a message that is larger than the limit. Such a message counts less than it has, so
 * that its last frames may come.
 *
 * The connection's thread adds, and the reader's thread takes.
 *
 * @param limitBytes of encoded messages
 */
final class ReceiveWindow(val limitBytes: Int) {

  import ReceiveWindow._

  require(limitBytes >= MinBytes, s"a window of $limitBytes bytes has no room for a frame")

  private val reservedBytes = limitBytes / 8
  private val arrivedBytes = new AtomicLong
  private val takenBytes = new AtomicLong

  /** What the connection's thread has last read of `takenBytes`, which the reader's thread writes all the time. */
  private var seenTaken = 0L

  /** Amount of taken bytes at which the window opens again; [[Open]] unless it is nearly closed. */
  @volatile private var reopenAt = Open
  @volatile private var reopen: Runnable = () => ()

  /** The reader has taken a message of this size. */
  def taken(bytes: Int): Unit = {
    val total = takenBytes.get + counted(bytes)
    takenBytes.lazySet(total)
    if (total >= reopenAt) askForReopening()
  }

  /**
   * To be called while the reader waits: its last `taken` may have been too early to see that the window has closed.
   */
  def readerWaits(): Unit = if (takenBytes.get >= reopenAt) askForReopening()

  /** @param action makes the connection's thread announce the window again */
  private[eventhubs] def onReopen(action: Runnable): Unit = reopen = action

  private[eventhubs] def arrived(bytes: Int): Unit = arrivedBytes.lazySet(arrivedBytes.get + counted(bytes))

  /**
   * Looks at what the reader has taken, for a flow that tells the service how much may come. Only the connection's
   * thread calls it, and not for each message: the reader's thread writes the same memory all the time.
   */
  private[eventhubs] def refresh(): Unit = seenTaken = takenBytes.get

  /**
   * Bytes that may still come. Only the connection's thread asks.
   *
   * @param partialBytes of the message that is arriving
   */
  private[eventhubs] def room(partialBytes: Int): Int = {
    if (waiting(partialBytes) * 2 > limitBytes) seenTaken = takenBytes.get
    val left = limitBytes - waiting(partialBytes)
    noteClosing(isLow = left < reservedBytes)
    math.max(0L, left).toInt
  }

  private def waiting(partialBytes: Int): Long = arrivedBytes.get - seenTaken + counted(partialBytes)

  private def counted(bytes: Int): Int = math.min(bytes, limitBytes - reservedBytes)

  /**
   * Opens again when half of what waits is taken, because opening costs a round trip and a wake-up of the connection.
   */
  private def noteClosing(isLow: Boolean): Unit =
    if (isLow) reopenAt = seenTaken + (arrivedBytes.get - seenTaken) / 2
    else if (reopenAt != Open) reopenAt = Open

  private def askForReopening(): Unit = {
    reopenAt = Open
    reopen.run()
  }
}

private object ReceiveWindow {
  private val Open = Long.MaxValue

  /** Two of the largest frames. */
  private val MinBytes = 128 << 10
}
