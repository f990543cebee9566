package benchmarks.worker

import java.util.concurrent.atomic.{AtomicLong, AtomicReference}
import java.util.concurrent.{CountDownLatch, TimeUnit}

import benchmarks.harness.{Request, Task}
import com.azure.messaging.eventhubs.EventHubConsumerAsyncClient
import com.azure.messaging.eventhubs.models.EventPosition

/**
 * The SDK's asynchronous receive alone, with one client and so one connection per partition: the upper limit for a
 * connector that uses the SDK's public API. The time includes opening the links, but not closing them.
 */
final class SdkReceive extends Work {

  override def run(request: Request): Outcome = {
    val workload = request.workload
    val perPartition = if (request.task == Task.FirstEvent) 1L else workload.eventsPerPartition
    val clients = Seq.fill(workload.partitions)(client(request))
    val bytes = new AtomicLong
    val failure = new AtomicReference[Throwable]
    val done = new CountDownLatch(if (request.task == Task.FirstEvent) 1 else workload.partitions)
    val start = System.nanoTime()
    val subscriptions = clients.zipWithIndex.map { case (client, partition) =>
      val own = new AtomicLong
      client
        .receiveFromPartition(partition.toString, EventPosition.earliest())
        .take(perPartition)
        .doOnError(error => failure.set(error))
        .doFinally { _ =>
          bytes.addAndGet(own.get)
          done.countDown()
        }
        .subscribe(event => own.setPlain(own.getPlain + event.getData.getBody.length))
    }
    require(done.await(5, TimeUnit.MINUTES), "the SDK's receivers did not finish within 5 minutes")
    val seconds = (System.nanoTime() - start) / 1e9
    Option(failure.get).foreach(error => throw new IllegalStateException("the SDK failed to receive", error))
    subscriptions.foreach(_.dispose())
    clients.foreach(_.close())
    if (request.task == Task.FirstEvent) Outcome(1, seconds = Some(seconds))
    else Outcome(bytes.get / workload.bodyBytes, seconds = Some(seconds))
  }

  override def close(): Unit = ()

  private def client(request: Request): EventHubConsumerAsyncClient = SdkClient.builder(request)
    .consumerGroup("$Default")
    .prefetchCount(SdkReceive.Prefetch)
    .buildAsyncConsumerClient()
}

private object SdkReceive {
  private val Prefetch = 2000
}
