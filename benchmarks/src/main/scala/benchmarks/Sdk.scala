package benchmarks

import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.{CountDownLatch, TimeUnit}

import com.azure.messaging.eventhubs.models.{CreateBatchOptions, EventPosition}
import com.azure.messaging.eventhubs.{EventData, EventHubClientBuilder}

/** The official SDK alone: the limit of what a connector on it can reach. */
object Sdk {

  private val Prefetch = 2000

  /** Fills each partition with equal events. */
  def fill(connectionString: String, partitions: Int, eventsPerPartition: Int, bodyBytes: Int): Unit = {
    val producer = new EventHubClientBuilder().connectionString(connectionString).buildProducerClient()
    val body = Array.fill(bodyBytes)('x'.toByte)
    try
      (0 until partitions).foreach { partition =>
        val options = new CreateBatchOptions().setPartitionId(partition.toString)
        var batch = producer.createBatch(options)
        (0 until eventsPerPartition).foreach { _ =>
          val event = new EventData(body)
          if (!batch.tryAdd(event)) {
            producer.send(batch)
            batch = producer.createBatch(options)
            batch.tryAdd(event)
          }
        }
        producer.send(batch)
      }
    finally producer.close()
  }

  /** Receives everything with one asynchronous client, so one connection, per partition. */
  def receive(connectionString: String, partitions: Int, eventsPerPartition: Int): Long = {
    val clients = (0 until partitions).map { _ =>
      new EventHubClientBuilder()
        .connectionString(connectionString)
        .consumerGroup("$Default")
        .prefetchCount(Prefetch)
        .buildAsyncConsumerClient()
    }
    val total = partitions.toLong * eventsPerPartition
    val bytes = new AtomicLong
    val done = new CountDownLatch(partitions)
    clients.zipWithIndex.foreach { case (client, partition) =>
      client
        .receiveFromPartition(partition.toString, EventPosition.earliest())
        .take(eventsPerPartition.toLong)
        .doFinally(_ => done.countDown())
        .subscribe(event => bytes.setPlain(bytes.getPlain + event.getData.getBody.length))
    }
    require(done.await(5, TimeUnit.MINUTES), "the SDK's receivers did not finish within 5 minutes")
    clients.foreach(_.close())
    total
  }
}
