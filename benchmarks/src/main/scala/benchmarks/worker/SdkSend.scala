package benchmarks.worker

import java.util.concurrent.atomic.AtomicReference
import java.util.concurrent.{CountDownLatch, Semaphore, TimeUnit}

import benchmarks.harness.Request
import com.azure.messaging.eventhubs.{EventData, EventDataBatch, EventHubProducerAsyncClient}

/**
 * The SDK's asynchronous producer alone, used as well as possible: full batches from as many threads as Spark has tasks
 * here, over one connection, with several batches in flight. The service chooses the partition.
 */
final class SdkSend extends Work {

  import SdkSend._

  override def run(request: Request): Outcome = {
    val client = SdkClient.builder(request).buildAsyncProducerClient()
    val body = Array.fill(request.workload.bodyBytes)('x'.toByte)
    val failure = new AtomicReference[Throwable]
    val done = new CountDownLatch(Threads)
    val start = System.nanoTime()
    val threads = (0 until Threads).map { index =>
      val events = request.workload.events * (index + 1) / Threads - request.workload.events * index / Threads
      new Thread(() =>
        try send(client, events, body, failure)
        catch { case error: Throwable => failure.set(error) }
        finally done.countDown()
      )
    }
    threads.foreach(_.start())
    require(done.await(5, TimeUnit.MINUTES), "the SDK's senders did not finish within 5 minutes")
    val seconds = (System.nanoTime() - start) / 1e9
    Option(failure.get).foreach(error => throw new IllegalStateException("the SDK failed to send", error))
    client.close()
    Outcome(request.workload.events, seconds = Some(seconds))
  }

  override def close(): Unit = ()

  private def send(
      client: EventHubProducerAsyncClient,
      events: Long,
      body: Array[Byte],
      failure: AtomicReference[Throwable]
  ): Unit = {
    val free = new Semaphore(BatchesInFlight)
    def put(batch: EventDataBatch): Unit = {
      free.acquire()
      client.send(batch).subscribe(
        _ => (),
        { error =>
          failure.set(error)
          free.release()
        },
        () => free.release()
      )
      ()
    }
    var batch = client.createBatch().block()
    var i = 0L
    while (i < events) {
      val event = new EventData(body)
      if (!batch.tryAdd(event)) {
        put(batch)
        batch = client.createBatch().block()
        batch.tryAdd(event)
      }
      i += 1
    }
    if (batch.getCount > 0) put(batch)
    free.acquire(BatchesInFlight)
  }
}

private object SdkSend {
  private val Threads = 2
  private val BatchesInFlight = 8
}
