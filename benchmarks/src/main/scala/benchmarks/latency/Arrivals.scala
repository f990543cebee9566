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

/** When an event was stored in the source, became a row of the query, and was stored in the target: milliseconds. */
private[latency] final case class Arrival(sourceMillis: Long, rowMillis: Long, targetMillis: Long) {
  def delay: Long = targetMillis - sourceMillis
}

private[latency] object Arrivals {

  /** Ends the two times and the rate at the start of a body. */
  val Separator = ';'

  /** @return the events of each rate */
  def inHub(connectionString: String, stored: Seq[Long]): Map[Int, Seq[Arrival]] = {
    val arrivals = new ByRate
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
          events.foreach(event => arrivals.add(event.getBody, event.getEnqueuedTime.toEpochMilli))
          next += events.length
        }
      }
    finally client.close()
    arrivals.result
  }

  def inTopic(bootstrapServers: String, topic: String, stored: Seq[Long]): Map[Int, Seq[Arrival]] = {
    val arrivals = new ByRate
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
        records.asScala.foreach(record => arrivals.add(record.value, record.timestamp))
        missing -= records.count
      }
    } finally consumer.close()
    arrivals.result
  }

  private final class ByRate {
    private val byRate = mutable.HashMap.empty[Int, mutable.ArrayBuffer[Arrival]]

    def add(body: Array[Byte], storedMillis: Long): Unit = {
      val words = new String(body, UTF_8).split(Separator)
      val arrival = Arrival(words(0).toLong, words(1).toLong, storedMillis)
      byRate.getOrElseUpdate(words(2).toInt, mutable.ArrayBuffer.empty) += arrival
      ()
    }

    def result: Map[Int, Seq[Arrival]] = byRate.view.mapValues(_.toSeq).toMap
  }
}
