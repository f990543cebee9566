package benchmarks

import java.util.concurrent.atomic.AtomicReference
import java.util.concurrent.{CountDownLatch, Semaphore, TimeUnit}

import com.azure.messaging.eventhubs.models.CreateBatchOptions
import com.azure.messaging.eventhubs.{EventData, EventDataBatch, EventHubClientBuilder, EventHubProducerAsyncClient}

/**
 * The SDK's asynchronous producer alone, used as well as it can be: full batches made by as many threads as Spark has
 * here, all over one connection, several batches on the wire.
 */
object SdkSender {

  private val Threads = 2
  private val BatchesOnWire = 8

  /** @param partitions ids that the events take turns in; empty for the service's choice */
  def send(connectionString: String, partitions: Seq[String], events: Int, bodyBytes: Int): Long = {
    val client = new EventHubClientBuilder().connectionString(connectionString).buildAsyncProducerClient()
    val body = Array.fill(bodyBytes)('x'.toByte)
    val failure = new AtomicReference[Throwable]
    val done = new CountDownLatch(Threads)
    val threads = (0 until Threads).map { _ =>
      new Thread(() =>
        try fill(client, partitions, events / Threads, body, failure)
        catch { case error: Throwable => failure.set(error) }
        finally done.countDown()
      )
    }
    threads.foreach(_.start())
    require(done.await(5, TimeUnit.MINUTES), "the SDK's senders did not finish within 5 minutes")
    Option(failure.get).foreach(error => throw new IllegalStateException("the SDK failed to send", error))
    client.close()
    (events / Threads).toLong * Threads
  }

  private def fill(
      client: EventHubProducerAsyncClient,
      partitions: Seq[String],
      events: Int,
      body: Array[Byte],
      failure: AtomicReference[Throwable]
  ): Unit = {
    val room = new Semaphore(BatchesOnWire)
    val options =
      if (partitions.isEmpty) Array(new CreateBatchOptions)
      else partitions.map(new CreateBatchOptions().setPartitionId(_)).toArray
    val batches = options.map(client.createBatch(_).block())

    def send(batch: EventDataBatch): Unit = {
      room.acquire()
      client.send(batch).subscribe(
        _ => (),
        { error =>
          failure.set(error)
          room.release()
        },
        () => room.release()
      )
      ()
    }

    var i = 0
    while (i < events) {
      val lane = i % batches.length
      val event = new EventData(body)
      if (!batches(lane).tryAdd(event)) {
        send(batches(lane))
        batches(lane) = client.createBatch(options(lane)).block()
        batches(lane).tryAdd(event)
      }
      i += 1
    }
    batches.filter(_.getCount > 0).foreach(send)
    room.acquire(BatchesOnWire)
  }
}
