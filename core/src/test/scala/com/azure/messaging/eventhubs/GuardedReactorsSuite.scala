package com.azure.messaging.eventhubs

import java.util.concurrent.atomic.AtomicReference

import org.apache.qpid.proton.engine.{BaseHandler, Event, HandlerException}

import testkit.TestSuite

class GuardedReactorsSuite extends TestSuite {

  /** What a handler of the reactor throws, as its caller and as the guard see it. */
  private def thrown(error: Throwable): (Throwable, Option[Throwable]) = {
    val seen = new AtomicReference[Throwable]
    val reactor = new GuardedReactors(new AbortableSockets, seen.set).createReactor("connection", 65536)
    reactor.schedule(
      0,
      new BaseHandler {
        override def onTimerTask(event: Event): Unit = throw error
      }
    )
    reactor.start()
    val failed = intercept[Throwable](while (reactor.process()) ())
    (failed, Option(seen.get))
  }

  test("an Error in the connection's thread reaches the links, and the SDK as an exception that it handles") {
    val error = new OutOfMemoryError("Java heap space")
    val (failed, seen) = thrown(error)
    assert(failed.isInstanceOf[HandlerException] && failed.getCause == error && seen.contains(error))
  }

  test("the SDK handles exceptions as before") {
    val error = new IllegalStateException("refused")
    val (failed, seen) = thrown(error)
    assert(failed.isInstanceOf[HandlerException] && failed.getCause == error && seen.isEmpty)
  }
}
