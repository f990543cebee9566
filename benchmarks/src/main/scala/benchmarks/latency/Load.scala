package benchmarks.latency

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Properties
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicReference

import scala.jdk.CollectionConverters._

import com.azure.messaging.eventhubs.models.SendOptions
import com.azure.messaging.eventhubs.{EventData, EventHubClientBuilder}
import org.apache.kafka.clients.producer.{KafkaProducer, ProducerRecord}
import org.apache.kafka.common.serialization.ByteArraySerializer

/** Sends to a hub or topic at a steady rate, over a plain connection: the measured time begins in the source. */
private[latency] trait Load extends AutoCloseable {

  /** Sends equal bodies to a partition, without waiting for an answer. */
  protected def send(partition: Int, body: Array[Byte], count: Int): Unit

  /** Throws what an earlier send has failed with. */
  protected def check(): Unit

  /**
   * Sends `rate` events a second, to the partitions in turn: one event at a time, or at most as many as are due every
   * millisecond.
   *
   * @return the number of events that were sent
   */
  def run(rate: Int, seconds: Int, partitions: Int): Long = {
    val body = s"$rate${Arrivals.Separator}".padTo(Load.BodyBytes, '.').getBytes(UTF_8)
    val total = rate.toLong * seconds
    val start = System.nanoTime()
    var sent = 0L
    var turn = 0
    while (sent < total) {
      val due = math.min(total, (System.nanoTime() - start) * rate / Load.NanosPerSecond + 1)
      if (due > sent) {
        val count = math.min(due - sent, Load.MostAtOnce)
        send(turn % partitions, body, count.toInt)
        turn += 1
        sent += count
        check()
      }
      Thread.sleep(1)
    }
    total
  }
}

private[latency] object Load {

  val BodyBytes = 1024

  /** What waited for the first connection would not fit into one batch. */
  private val MostAtOnce = 500L
  private val NanosPerSecond = TimeUnit.SECONDS.toNanos(1)

  def toHub(connectionString: String): Load = new Load {
    private val failure = new AtomicReference[Throwable]
    private val client = new EventHubClientBuilder().connectionString(connectionString).buildAsyncProducerClient()

    override protected def send(partition: Int, body: Array[Byte], count: Int): Unit = {
      val events = Seq.fill(count)(new EventData(body)).asJava
      client.send(events, new SendOptions().setPartitionId(partition.toString)).subscribe(_ => (), failure.set(_))
      ()
    }

    override protected def check(): Unit = Option(failure.get).foreach(throw _)
    override def close(): Unit = client.close()
  }

  def toTopic(bootstrapServers: String, topic: String): Load = new Load {
    private val failure = new AtomicReference[Throwable]
    private val producer = {
      val settings = new Properties
      settings.put("bootstrap.servers", bootstrapServers)
      new KafkaProducer(settings, new ByteArraySerializer, new ByteArraySerializer)
    }

    override protected def send(partition: Int, body: Array[Byte], count: Int): Unit =
      (0 until count).foreach { _ =>
        producer.send(
          new ProducerRecord[Array[Byte], Array[Byte]](topic, partition, null, body),
          (_, error) => if (error != null) failure.set(error)
        )
      }

    override protected def check(): Unit = Option(failure.get).foreach(throw _)
    override def close(): Unit = producer.close()
  }
}
