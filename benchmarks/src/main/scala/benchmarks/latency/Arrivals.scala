package benchmarks.latency

import java.nio.charset.StandardCharsets.UTF_8
import java.time.Duration
import java.util.Properties

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import com.azure.messaging.eventhubs.EventHubClientBuilder
import com.azure.messaging.eventhubs.models.EventPosition
import org.apache.kafka.clients.consumer.KafkaConsumer
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.serialization.ByteArrayDeserializer

/** Milliseconds from the storage of an event in the source to its storage in the target, by the servers' clocks. */
private[latency] object Arrivals {

  /** Ends the time and the rate at the start of a body. */
  val Separator = ';'

  /** @return the delays of the events of each rate */
  def inHub(connectionString: String, stored: Seq[Long]): Map[Int, Seq[Long]] = {
    val delays = new Delays
    val client = new EventHubClientBuilder().connectionString(connectionString).consumerGroup("$Default")
      .buildConsumerClient()
    try
      stored.zipWithIndex.foreach { case (count, partition) =>
        var next = 0L
        while (next < count) {
          val events = client.receiveFromPartition(
            partition.toString,
            math.min(count - next, 5000).toInt,
            EventPosition.fromSequenceNumber(next - 1),
            Duration.ofSeconds(30)
          ).asScala.map(_.getData).toSeq
          require(events.nonEmpty, s"${count - next} events of partition $partition cannot be read")
          events.foreach(event => delays.add(event.getBody, event.getEnqueuedTime.toEpochMilli))
          next += events.length
        }
      }
    finally client.close()
    delays.result
  }

  def inTopic(bootstrapServers: String, topic: String, stored: Seq[Long]): Map[Int, Seq[Long]] = {
    val delays = new Delays
    val settings = new Properties
    settings.put("bootstrap.servers", bootstrapServers)
    val consumer = new KafkaConsumer(settings, new ByteArrayDeserializer, new ByteArrayDeserializer)
    try {
      val partitions = stored.indices.map(new TopicPartition(topic, _)).asJava
      consumer.assign(partitions)
      consumer.seekToBeginning(partitions)
      var missing = stored.sum
      while (missing > 0) {
        val records = consumer.poll(Duration.ofSeconds(30))
        require(!records.isEmpty, s"$missing records of $topic cannot be read")
        records.asScala.foreach(record => delays.add(record.value, record.timestamp))
        missing -= records.count
      }
    } finally consumer.close()
    delays.result
  }

  private final class Delays {
    private val byRate = mutable.HashMap.empty[Int, mutable.ArrayBuffer[Long]]

    def add(body: Array[Byte], storedMillis: Long): Unit = {
      val words = new String(body, UTF_8).split(Separator)
      byRate.getOrElseUpdate(words(1).toInt, mutable.ArrayBuffer.empty) += storedMillis - words(0).toLong
      ()
    }

    def result: Map[Int, Seq[Long]] = byRate.view.mapValues(_.toSeq).toMap
  }
}
