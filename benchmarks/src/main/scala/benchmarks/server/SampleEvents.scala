package benchmarks.server

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Properties
import java.util.concurrent.{Callable, Executors, TimeUnit}

import scala.jdk.CollectionConverters._

import benchmarks.harness.{Content, Workload}
import com.azure.messaging.eventhubs.models.CreateBatchOptions
import com.azure.messaging.eventhubs.{EventData, EventHubClientBuilder, EventHubProducerClient}
import org.apache.kafka.clients.producer.{KafkaProducer, ProducerRecord}
import org.apache.kafka.common.serialization.ByteArraySerializer

/** Sends the same events to the hub and to the topic, the same number to each partition. */
object SampleEvents {

  private val Keys = 1000
  private val Properties = Seq("site" -> "north-17", "unit" -> "celsius", "schema" -> "4")
  private val Threads = 2

  def sendToHub(hub: HubProcess, workload: Workload, name: String): Unit = eachPartition(workload) { partition =>
    val producer =
      new EventHubClientBuilder().connectionString(hub.connectionString(name)).buildProducerClient()
    try send(producer, partition, workload)
    finally producer.close()
  }

  def sendToKafka(broker: KafkaProcess, workload: Workload, name: String): Unit = {
    val settings = new Properties
    settings.put("bootstrap.servers", broker.address)
    // Large batches suit the reader, like batches of 1 MB in the hub.
    settings.put("linger.ms", "50")
    settings.put("batch.size", (512 * 1024).toString)
    val producer = new KafkaProducer(settings, new ByteArraySerializer, new ByteArraySerializer)
    try eachPartition(workload) { partition =>
        val bodies = new EventBodies(workload.bodyBytes, partition)
        (0L until workload.eventsPerPartition).foreach { number =>
          val key = if (workload.content == Content.Bare) null else keyOf(number).getBytes(UTF_8)
          val record = new ProducerRecord(name, partition, key, bodies(number))
          if (workload.content != Content.Bare)
            Properties.foreach { case (name, value) => record.headers.add(name, value.getBytes(UTF_8)) }
          producer.send(record)
        }
      }
    finally producer.close()
    val stored = broker.stored(name).sum
    require(stored == workload.events, s"Kafka stored $stored of ${workload.events} events")
  }

  private def send(producer: EventHubProducerClient, partition: Int, workload: Workload): Unit = {
    val bodies = new EventBodies(workload.bodyBytes, partition)
    val options = new CreateBatchOptions().setPartitionId(partition.toString)
    var batch = producer.createBatch(options)
    (0L until workload.eventsPerPartition).foreach { number =>
      val event = new EventData(bodies(number))
      if (workload.content != Content.Bare) {
        event.getRawAmqpMessage.getMessageAnnotations.put("x-opt-partition-key", keyOf(number))
        event.getProperties.putAll(Properties.toMap[String, AnyRef].asJava)
      }
      if (!batch.tryAdd(event)) {
        producer.send(batch)
        batch = producer.createBatch(options)
        batch.tryAdd(event)
      }
    }
    if (batch.getCount > 0) producer.send(batch)
  }

  private def keyOf(number: Long): String = s"device-${number % Keys}"

  private def eachPartition(workload: Workload)(fill: Int => Unit): Unit = {
    val threads = Executors.newFixedThreadPool(Threads)
    try {
      val tasks: Seq[Callable[Unit]] = (0 until workload.partitions).map(partition => () => fill(partition))
      threads.invokeAll(tasks.asJava).asScala.foreach(_.get)
    } finally {
      threads.shutdown()
      threads.awaitTermination(1, TimeUnit.MINUTES)
      ()
    }
  }
}
