package org.apache.spark.eventhubs.blob

import java.io.{IOException, InterruptedIOException, UncheckedIOException}
import java.net.{InetAddress, ServerSocket, SocketTimeoutException}
import java.time.Duration
import java.util.concurrent.{ExecutionException, FutureTask, TimeUnit}

import org.apache.spark.eventhubs.{EventHubsException, Secret}
import testkit.TestSuite

/** A query is stopped while it waits for its store. */
class InterruptedCallSuite extends TestSuite {

  private val signature = StorageCredential.SharedAccess(Secret("sig=aGlkZGVu"))

  /** A store that accepts connections and does not answer. */
  private def withSilentStore(timeout: Duration)(test: (ServerSocket, BlobStore) => Unit): Unit = {
    val silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress)
    silent.setSoTimeout(30000)
    val url = s"http://127.0.0.1:${silent.getLocalPort}/acc/box"
    try test(silent, new AzureBlobStore(BlobContainer(url, signature), timeout))
    finally silent.close()
  }

  private def translated(failed: Throwable): Throwable = BlobErrors.translate("store", "reading", failed)

  test("a read that is interrupted is not repeated") {
    withSilentStore(Duration.ofMinutes(2)) { (silent, store) =>
      val call = new FutureTask[Seq[StoredBlob]](() => store.list("a/"))
      val reading = new Thread(call)
      reading.start()
      val connection = silent.accept()
      try {
        connection.getInputStream.read()
        reading.interrupt()
        val failed = intercept[ExecutionException](call.get(30, TimeUnit.SECONDS))
        assert(failed.getCause.isInstanceOf[InterruptedException])
      } finally connection.close()
    }
  }

  test("a read that is not answered in time is repeated twice") {
    withSilentStore(Duration.ofMillis(500)) { (silent, store) =>
      val failed = intercept[EventHubsException](store.list("a/"))
      assert(failed.getCondition == "EVENTHUBS_CHECKPOINT_STORE.UNREACHABLE")
      (1 to 3).foreach(_ => silent.accept().close())
    }
  }

  test("an interrupt is found wherever the SDK keeps it, and a time-out of a socket is none") {
    val inPause = new UncheckedIOException(new IOException("no answer"))
    inPause.addSuppressed(new InterruptedException)
    Seq(
      new IllegalStateException(new InterruptedException),
      new UncheckedIOException(new IOException(new InterruptedException)),
      new UncheckedIOException(new InterruptedIOException),
      inPause
    ).foreach(failed => assert(translated(failed).isInstanceOf[InterruptedException], failed.toString))
    val timeout = new UncheckedIOException(new SocketTimeoutException("Read timed out"))
    assert(BlobErrors.interrupt(timeout).isEmpty)
    translated(timeout) match {
      case known: EventHubsException => assert(known.getCondition == "EVENTHUBS_CHECKPOINT_STORE.UNREACHABLE")
      case other => fail(s"not translated: $other")
    }
  }
}
