package org.apache.spark.eventhubs.send

import java.time.Duration
import java.util.Collections
import java.util.concurrent.{CompletableFuture, ConcurrentLinkedQueue}

import scala.collection.mutable

import org.apache.spark.eventhubs.amqp.{OutgoingBody, OutgoingEvent}
import org.apache.spark.eventhubs.connection.{EventBatch, EventHubsProducer, ProducerPool}
import org.apache.spark.eventhubs.options.{ConnectionSettings, OversizedEvents, Transport, WriteDestination}
import org.apache.spark.eventhubs.{Credential, EventHubName, Secret}
import org.apache.spark.util.Clock

/** Counts bodies only, so that a test can say in bytes when a batch is full. */
final class FakeBatch(val destination: WriteDestination, override val maxBytes: Int) extends EventBatch {
  val events = mutable.ArrayBuffer.empty[OutgoingEvent]
  private var memory = new Array[Byte](maxBytes)

  override def buffer: Option[Array[Byte]] = Some(memory)
  override def useBuffer(larger: Array[Byte]): Unit = memory = larger

  override def tryAdd(event: OutgoingEvent): EventBatch.Added =
    if (event.body.length > maxBytes) EventBatch.TooLarge
    else if (bytes + event.body.length > maxBytes) EventBatch.Full
    else {
      events += event
      EventBatch.Yes
    }

  override def count: Int = events.length
  override def bytes: Int = events.map(_.body.length).sum
  def bodies: Seq[String] = events.map(event => new String(event.body.toArray)).toSeq
}

/** A batch on the wire, whose answer the test gives. */
final class FakeSend(val batch: FakeBatch) {
  val answer = new CompletableFuture[Unit]
  def confirm(): Unit = { answer.complete(()); () }
  def fail(error: Throwable): Unit = { answer.completeExceptionally(error); () }
}

/**
 * A producer without a service.
 *
 * @param onSend answers a batch, at once or never, by completing the send
 */
final class FakeProducer(partitions: Int, onSend: FakeSend => Unit, batchBytes: => Int = 10) extends EventHubsProducer {
  val sends = mutable.ArrayBuffer.empty[FakeSend]
  var isClosed = false

  override def partitionIds(): CompletableFuture[IndexedSeq[String]] =
    CompletableFuture.completedFuture((0 until partitions).map(_.toString))

  override def newBatch(destination: WriteDestination, maxBytes: Option[Int]): CompletableFuture[EventBatch] =
    CompletableFuture.completedFuture(new FakeBatch(destination, maxBytes.fold(batchBytes)(math.min(_, batchBytes))))

  override def send(batch: EventBatch): CompletableFuture[Unit] = {
    val sent = new FakeSend(batch.asInstanceOf[FakeBatch])
    sends += sent
    onSend(sent)
    sent.answer
  }

  override def close(): Unit = isClosed = true
}

/** Time passes only while somebody waits; what the test does meanwhile is `whenIdle`. */
final class ManualInbox(whenIdle: () => Unit = () => ()) extends SendResults {
  private val answers = new ConcurrentLinkedQueue[SendResult]
  private var now = 0L

  /** How often somebody waited for no time at all. */
  var emptyWaits = 0

  override def nanoTime: Long = now
  override def sleep(nanos: Long): Unit = pass(nanos)
  override def post(answer: SendResult): Unit = { answers.add(answer); () }
  override def poll(): Option[SendResult] = Option(answers.poll())
  override def await(nanos: Long): Option[SendResult] = poll().orElse {
    if (nanos <= 0) emptyWaits += 1
    assert(emptyWaits < 1000, "waiting for no time at all, again and again")
    pass(nanos)
    whenIdle()
    poll()
  }

  def elapsed: Duration = Duration.ofNanos(now)

  def pass(nanos: Long): Unit = {
    now += nanos
    assert(now < Duration.ofHours(1).toNanos, "nothing happened for an hour")
  }
}

final class TestClock(var millis: Long = 0) extends Clock {
  override def getTimeMillis(): Long = millis
  override def nanoTime(): Long = millis * 1000000
  override def waitTillTime(targetTime: Long): Long = { millis = math.max(millis, targetTime); millis }
}

object SendFakes {

  val hub: EventHubName = EventHubName("ns.example", "telemetry")

  val connection: ConnectionSettings = ConnectionSettings(
    hub,
    port = None,
    credential = Credential.SharedKey("policy", Secret("key")),
    developmentEmulator = false,
    transport = Transport.Amqp,
    customEndpoint = None,
    operationTimeout = Duration.ofSeconds(60),
    maxRetries = 3
  )

  val limits: SendLimits = SendLimits(
    maxBatchBytes = None,
    maxInFlightBytes = 1000,
    maxInFlightBatches = 100,
    maxOpenBatches = 100,
    sendTimeout = Duration.ofSeconds(60),
    oversized = OversizedEvents.Fail
  )

  def event(body: String, key: Option[String] = None): OutgoingEvent =
    OutgoingEvent(OutgoingBody(body.getBytes), key, Collections.emptyMap[String, AnyRef], None, None, None)

  def poolOf(producers: EventHubsProducer*): ProducerPool = {
    val next = producers.iterator
    new ProducerPool(_ => next.next(), Duration.ofMinutes(1), new TestClock)
  }

  def queue(
      pool: ProducerPool,
      limits: SendLimits = limits,
      inbox: SendResults = new ManualInbox,
      checkCancelled: () => Unit = () => ()
  ): BatchAccumulator =
    new BatchAccumulator(pool.lend(connection), limits, inbox, checkCancelled)
}
