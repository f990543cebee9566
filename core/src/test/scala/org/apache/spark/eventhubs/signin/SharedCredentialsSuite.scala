package org.apache.spark.eventhubs.signin

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration._
import scala.concurrent.{Await, Future}

import com.azure.core.credential.{AccessToken, TokenCredential, TokenRequestContext}
import reactor.core.publisher.Mono

import org.apache.spark.eventhubs.{Credential, Secret}
import testkit.TestSuite

class SharedCredentialsSuite extends TestSuite {

  private class Other extends TokenCredential {
    override def getToken(request: TokenRequestContext): Mono[AccessToken] = Mono.empty[AccessToken]()
  }

  private def settings(secret: String, authority: Option[String] = None) =
    Credential.ClientSecret("t", "c", Secret(secret), authority)

  test("equal settings share one credential, and no others do") {
    val shared = new SharedCredentials
    val first = shared.of(settings("a"))(new Other)
    assert(shared.of(settings("a"))(new Other) eq first)
    assert(shared.of(settings("b"))(new Other) ne first)
    assert(shared.of(settings("a", Some("https://login.microsoftonline.us")))(new Other) ne first)
  }

  test("credentials that are no longer used are forgotten") {
    val shared = new SharedCredentials(atMost = 2)
    val first = shared.of(settings("a"))(new Other)
    shared.of(settings("b"))(new Other)
    assert(shared.of(settings("a"))(new Other) eq first)
    shared.of(settings("c"))(new Other)
    assert(shared.size == 2 && (shared.of(settings("a"))(new Other) eq first))
  }

  test("who asks for another credential does not wait for one that is slow to create") {
    val shared = new SharedCredentials
    val (begun, finish) = (new CountDownLatch(1), new CountDownLatch(1))
    def slow = shared.of(settings("slow")) {
      begun.countDown()
      finish.await()
      new Other
    }
    val waiting = Seq.fill(2)(Future(scala.concurrent.blocking(slow)))
    try {
      assert(begun.await(60, TimeUnit.SECONDS))
      assert(Await.result(Future(shared.of(settings("quick"))(new Other)), 60.seconds) != null)
      assert(waiting.forall(!_.isCompleted))
    } finally finish.countDown()
    assert(waiting.map(Await.result(_, 60.seconds)).distinct.size == 1)
  }

  test("a thread that is interrupted while it creates a credential stops no other that waits for it") {
    val shared = new SharedCredentials
    val begun = new CountDownLatch(1)
    val attempts = new AtomicInteger
    def made = shared.of(settings("a")) {
      if (attempts.incrementAndGet() == 1) {
        begun.countDown()
        Thread.sleep(60000)
      }
      new Other
    }
    val first = new Thread(() =>
      try { val _ = made }
      catch { case _: InterruptedException => () }
    )
    first.start()
    assert(begun.await(60, TimeUnit.SECONDS))
    val second = Future(scala.concurrent.blocking(made))
    first.interrupt()
    val found = Await.result(second, 60.seconds)
    assert((made eq found) && attempts.get == 2)
  }

  test("a credential that cannot be created is tried again") {
    val shared = new SharedCredentials
    assertThrows[IllegalStateException](shared.of(settings("a"))(throw new IllegalStateException("no vault")))
    assert(shared.size == 0)
    assert(shared.of(settings("a"))(new Other) != null)
  }

  test("a secret that changed is used, and the last one while it cannot be read") {
    val read = Iterator("a", "a", "b")
    var made = Seq.empty[String]
    def next() = if (read.hasNext) read.next() else throw new IllegalStateException("gone")
    val secret = new ReloadingValue(() => next())({ found =>
      made :+= found
      s"made of $found"
    })
    assert(Seq.fill(3)(secret.get()) == Seq("made of a", "made of b", "made of b"))
    assert(made == Seq("a", "b"))
  }

  test("a secret that is kept elsewhere is not read in the thread that asks for a token") {
    val readers = new java.util.concurrent.ConcurrentLinkedQueue[Thread]
    val kept = new Secret {
      override def value: String = {
        readers.add(Thread.currentThread)
        "a2V5"
      }
    }
    val credential = new CurrentSharedAccess(Credential.SharedKey("reader", kept))
    readers.clear()
    val scopes = new TokenRequestContext().addScopes("amqp://contoso.servicebus.windows.net/telemetry")
    assert(credential.getToken(scopes).block().getToken.contains("skn=reader"))
    assert(readers.size == 1 && !readers.contains(Thread.currentThread))
  }
}
