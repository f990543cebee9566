package org.apache.spark.eventhubs.connection

import java.io.IOException
import java.net.{InetAddress, InetSocketAddress, ServerSocket, Socket}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger, AtomicReference}
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch}

/**
 * A TCP proxy with failures. A test can close its connections, drop what they carry while they look healthy, or stop
 * reading from them, so that both ends keep what they have not sent yet. What it has read it delivers later, whatever
 * becomes of the client meanwhile.
 *
 * @param window bytes that a client may have on the wire; None for the system's default, megabytes on the loopback
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
  private val paused = new ConcurrentLinkedQueue[AtomicReference[CountDownLatch]]
  private val connections = new AtomicInteger
  private val trigger = new AtomicReference(Option.empty[Trigger])

  daemon("accept") {
    while (true) {
      val client = listener.accept()
      val server = new Socket(InetAddress.getLoopbackAddress, targetPort)
      val hold = new AtomicBoolean
      Seq(client, server).foreach(sockets.add)
      val gate = new AtomicReference(new CountDownLatch(0))
      held.add(hold)
      paused.add(gate)
      connections.incrementAndGet()
      daemon("up") {
        try pump(client, server, hold, gate, trigger.get)
        finally connections.decrementAndGet()
      }
      daemon("down")(pump(server, client, hold, gate, None))
    }
  }

  /** Connections of which it may still deliver something. */
  def openConnections: Int = connections.get

  def port: Int = listener.getLocalPort

  /** Closes the open connections. New ones work. */
  def cut(): Unit = {
    held.clear()
    sockets.removeIf { socket =>
      socket.close()
      true
    }
    ()
  }

  /** Drops everything that the open connections carry from now on. New ones work. */
  def hold(): Unit = held.forEach(_.set(true))

  /**
   * Drops everything on the connection over which a client sends these bytes, starting with them. Other ones work.
   *
   * @return released when the bytes have arrived
   */
  def holdFrom(bytes: Array[Byte]): CountDownLatch = {
    val trigger = new Trigger(bytes)
    this.trigger.set(Some(trigger))
    trigger.reached
  }

  /**
   * Keeps these bytes and all that follows on the connection over which a client sends them, until [[resume]]. Other
   * ones work.
   *
   * @return released when the bytes have arrived
   */
  def pauseFrom(bytes: Array[Byte]): CountDownLatch = {
    val trigger = new Trigger(bytes, pauses = true)
    this.trigger.set(Some(trigger))
    trigger.reached
  }

  /** Stops reading from the open connections until [[resume]]. New ones work. */
  def pause(): Unit = paused.forEach(_.set(new CountDownLatch(1)))

  /** Continues reading from the paused connections. */
  def resume(): Unit = paused.forEach(_.get.countDown())

  override def close(): Unit = {
    listener.close()
    resume()
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
        val hit = trigger.filter(_.isIn(buffer, read))
        hit.foreach(found => if (found.pauses) gate.set(new CountDownLatch(1)) else hold.set(true))
        hit.foreach(_.reached.countDown())
        gate.get.await()
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

/** Waits once for these bytes. A client writes the frame with them in one piece. */
private final class Trigger(bytes: Array[Byte], val pauses: Boolean = false) {
  val reached = new CountDownLatch(1)

  def isIn(buffer: Array[Byte], length: Int): Boolean =
    reached.getCount > 0 && buffer.take(length).containsSlice(bytes)
}
