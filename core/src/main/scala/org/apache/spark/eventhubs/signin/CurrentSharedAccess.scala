package org.apache.spark.eventhubs.signin

import java.util.concurrent.atomic.AtomicReference
import java.util.concurrent.{SynchronousQueue, ThreadPoolExecutor, TimeUnit}

import com.azure.core.credential.{AccessToken, TokenRequestContext}
import com.azure.messaging.eventhubs.implementation.EventHubSharedKeyCredential
import reactor.core.publisher.Mono
import reactor.core.scheduler.Schedulers

import org.apache.spark.eventhubs.Credential
import org.apache.spark.internal.Logging

/**
 * A shared access key or signature that is read again for each token. The SDK asks for a token when a link opens and
 * before a token expires. It recognises shared access by the class of the credential.
 */
private[eventhubs] final class CurrentSharedAccess(credential: Credential.SharedAccess)
    extends EventHubSharedKeyCredential("SharedAccessSignature is read later") {

  private val current = credential match {
    case named: Credential.SharedKey =>
      new ReloadingValue(() => named.current)({ case (policy, key) => new EventHubSharedKeyCredential(policy, key) })
    case Credential.SharedAccessSignature(token) =>
      new ReloadingValue(() => token.value)(new EventHubSharedKeyCredential(_))
  }

  /** Read outside of the connection's thread: a slow file system or key store would stall all links. */
  override def getToken(request: TokenRequestContext): Mono[AccessToken] =
    Mono.defer[AccessToken](() => current.get().getToken(request)).subscribeOn(CurrentSharedAccess.Reading)

  override def getTokenSync(request: TokenRequestContext): AccessToken = current.get().getTokenSync(request)
}

private object CurrentSharedAccess {

  /**
   * Not the threads of tasks, which Spark may interrupt: what follows the token runs in them too. As many as needed,
   * because a file system that hangs keeps its thread. They end after a second without work.
   */
  private val Reading = {
    val threads = new ThreadPoolExecutor(
      0,
      Int.MaxValue,
      1L,
      TimeUnit.SECONDS,
      new SynchronousQueue[Runnable],
      { (work: Runnable) =>
        val thread = new Thread(work, "eventhubs-secret-reader")
        thread.setDaemon(true)
        thread
      }
    )
    Schedulers.fromExecutor(threads)
  }
}

/**
 * Caches `make(read())`, and makes it again when `read()` returns another value. While `read()` fails, as while a file
 * is being replaced, the last one is used.
 */
private[signin] final class ReloadingValue[A, B](read: () => A)(make: A => B) extends Logging {

  private val last = new AtomicReference(made(read()))

  def get(): B = {
    val before = last.get()
    try {
      val found = read()
      if (found != before._1) last.compareAndSet(before, made(found))
    } catch {
      case failed: RuntimeException => logWarning(s"Signs in as before, because of: ${failed.getMessage}")
    }
    last.get()._2
  }

  private def made(found: A): (A, B) = (found, make(found))
}
