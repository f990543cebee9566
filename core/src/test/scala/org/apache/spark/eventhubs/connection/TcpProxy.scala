package org.apache.spark.eventhubs.connection

import java.io.IOException
import java.net.{InetAddress, InetSocketAddress, ServerSocket, Socket}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicReference}
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch}

/**
 * A wire that a test can cut, hold so that both ends believe it is well while nothing passes, or let stand still, so that
 * both ends keep what they have not sent yet.
 *
 * @param window bytes that a client may have on the wire, None as the system likes it: megabytes on the loopback
 */
final class TcpProxy(targetPort: Int, window: Option[Int] = None) extends AutoCloseable {

  private val listener = {
    val listener = new ServerSocket
    window.foreach(listener.setReceiveBufferSize)
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress, 0), 50)
    listener
  }
  private val sockets = new ConcurrentLinkedQueue[Socket]
  private val held = new ConcurrentLinkedQueue[AtomicBoolean]
  private val still = new ConcurrentLinkedQueue[AtomicReference[CountDownLatch]]
  private val trigger = new AtomicReference(Option.empty[Trigger])

  daemon("accept") {
    while (true) {
      val client = listener.accept()
      val server = new Socket(InetAddress.getLoopbackAddress, targetPort)
      val hold = new AtomicBoolean
      Seq(client, server).foreach(sockets.add)
      val gate = new AtomicReference(new CountDownLatch(0))
      held.add(hold)
      still.add(gate)
      daemon("up")(pump(client, server, hold, gate, trigger.get))
      daemon("down")(pump(server, client, hold, gate, None))
    }
  }

  def port: Int = listener.getLocalPort

  /** Closes the connections that are open; new ones can be made. */
  def cut(): Unit = {
    held.clear()
    sockets.removeIf { socket =>
      socket.close()
      true
    }
    ()
  }

  /** Passes nothing on any more on the connections that are open; new ones work. */
  def hold(): Unit = held.forEach(_.set(true))

  /**
   * Passes nothing on any more on the connection over which a client sends these bytes, from them on; other ones work.
   *
   * @return opened when they have come
   */
  def holdFrom(bytes: Array[Byte]): CountDownLatch = {
    val trigger = new Trigger(bytes)
    this.trigger.set(Some(trigger))
    trigger.reached
  }

  /** Takes nothing more from the connections that are open until [[goOn]]; new ones work. */
  def standStill(): Unit = still.forEach(_.set(new CountDownLatch(1)))

  /** Lets go on what stands still. */
  def goOn(): Unit = still.forEach(_.get.countDown())

  override def close(): Unit = {
    listener.close()
    goOn()
    cut()
  }

  private def pump(
      from: Socket,
      to: Socket,
      hold: AtomicBoolean,
      gate: AtomicReference[CountDownLatch],
      trigger: => Option[Trigger]
  ): Unit =
    try {
      val buffer = new Array[Byte](64 * 1024)
      var read = from.getInputStream.read(buffer)
      while (read >= 0) {
        gate.get.await()
        if (trigger.exists(_.isIn(buffer, read))) hold.set(true)
        if (!hold.get) to.getOutputStream.write(buffer, 0, read)
        read = from.getInputStream.read(buffer)
      }
    } finally Seq(from, to).foreach(_.close())

  private def daemon(name: String)(work: => Unit): Unit = {
    val thread = new Thread(
      () =>
        try work
        catch { case _: IOException => () },
      s"tcp-proxy-$name"
    )
    thread.setDaemon(true)
    thread.start()
  }
}

/** Bytes that are waited for, once; a client writes the frame that they are in at once. */
private final class Trigger(bytes: Array[Byte]) {
  val reached = new CountDownLatch(1)

  def isIn(buffer: Array[Byte], length: Int): Boolean = {
    val found = reached.getCount > 0 && buffer.take(length).containsSlice(bytes)
    if (found) reached.countDown()
    found
  }
}
