package org.apache.spark.eventhubs.connection

import java.io.IOException

/** Runs a part of a test's proxy in a thread of its own, until its work or its socket ends. */
object ProxyThread {

  def start(work: => Unit): Unit = {
    val thread = new Thread(() =>
      try work
      catch { case _: IOException => () }
    )
    thread.setDaemon(true)
    thread.start()
  }
}
