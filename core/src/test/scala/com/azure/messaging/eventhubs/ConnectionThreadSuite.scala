package com.azure.messaging.eventhubs

import java.util.concurrent.atomic.AtomicReference
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.jdk.CollectionConverters._

import com.azure.core.amqp.AmqpRetryOptions

import testkit.TestSuite

class ConnectionThreadSuite extends TestSuite {

  private def runner(thread: ConnectionThread): Thread = {
    val seen = new AtomicReference[Thread]
    thread.executeAndWait(() => seen.set(Thread.currentThread))
    seen.get
  }

  private def awaitEnd(thread: Thread): Unit = {
    thread.join(10000)
    assert(!thread.isAlive, "the thread stays though it has nothing to do")
  }

  test("work runs on the connection's own thread, which ends when there is no more") {
    val thread = new ConnectionThread
    val first = runner(thread)
    assert((first ne Thread.currentThread) && first.getName == "eventhubs-sdk-caller" && first.isDaemon)
    awaitEnd(first)
    val second = runner(thread)
    assert((second ne first) && (second ne Thread.currentThread))
    awaitEnd(second)
  }

  test("an interrupted caller waits for the work, does not interrupt it, and stays interrupted") {
    val thread = new ConnectionThread
    val interrupted = new AtomicReference[Option[Boolean]](None)
    Thread.currentThread.interrupt()
    thread.executeAndWait { () =>
      TimeUnit.MILLISECONDS.sleep(200)
      interrupted.set(Some(Thread.currentThread.isInterrupted))
    }
    val seen = interrupted.get
    assert(Thread.interrupted(), "the caller is no longer interrupted")
    assert(seen.contains(false), "whether the work was interrupted, when the call returned")
  }

  test("an interrupted caller waits also for work that another call blocks") {
    val thread = new ConnectionThread
    val blocked = new CountDownLatch(1)
    val done = new CountDownLatch(1)
    thread.execute(() => blocked.await())
    try {
      Thread.currentThread.interrupt()
      thread.executeAndWait(() => done.countDown())
      val left = done.getCount
      assert(Thread.interrupted(), "the caller is no longer interrupted")
      assert(left == 0)
    } finally blocked.countDown()
  }

  test("work that waits for more work of the same thread does not hang") {
    val thread = new ConnectionThread
    val inner = new AtomicReference[Thread]
    val outer = new AtomicReference[Thread]
    thread.executeAndWait { () =>
      outer.set(Thread.currentThread)
      inner.set(runner(thread))
    }
    assert(inner.get eq outer.get)
  }

  test("work is done when the call returns, also while another call blocks the thread") {
    val thread = new ConnectionThread
    val blocked = new CountDownLatch(1)
    val done = new CountDownLatch(1)
    thread.execute(() => blocked.await())
    try {
      thread.executeAndWait(() => done.countDown())
      assert(done.getCount == 0)
    } finally blocked.countDown()
  }

  test("a connection that is closed twice and used afterwards fails without hanging, and leaves no thread") {
    val builder = new EventHubClientBuilder()
      .connectionString(
        "Endpoint=sb://localhost:1;SharedAccessKeyName=n;SharedAccessKey=a2V5;EntityPath=hub;UseDevelopmentEmulator=true"
      )
      .retryOptions(new AmqpRetryOptions)
    val connection = new AmqpConnection(builder, "hub")
    connection.close()
    connection.close()
    val failed = intercept[Exception](connection.properties(None).toFuture.get(30, TimeUnit.SECONDS))
    assert(Option(failed.getCause).exists(_.getMessage.contains("Connection recovery support is terminated")))
    def left = Thread.getAllStackTraces.keySet.asScala.filter(_.getName == ConnectionThread.Name)
    left.foreach(awaitEnd)
  }
}
