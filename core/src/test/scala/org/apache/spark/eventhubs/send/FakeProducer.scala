package org.apache.spark.eventhubs.send

import java.util.concurrent.CompletableFuture

import scala.collection.mutable

import com.azure.messaging.eventhubs.{ProducerClaim, ProducerGrant}

import org.apache.spark.eventhubs.amqp.{BodyBytes, OutgoingEvent}
import org.apache.spark.eventhubs.connection.{EventBatch, EventHubsProducer, IdempotentLink}
import org.apache.spark.eventhubs.options.WriteDestination

/** Counts bodies only, so that a test can say in bytes when a batch is full. */
final class FakeBatch(val destination: WriteDestination, override val maxBytes: Int) extends EventBatch {
  val events = mutable.ArrayBuffer.empty[OutgoingEvent]
  private var memory = new Array[Byte](maxBytes)

  /** Id, epoch and first number of each attempt, of a batch of an idempotent producer. */
  val numbers = mutable.ArrayBuffer.empty[(Long, Short, Int)]
  private var numbered = false

  def asNumbered: this.type = {
    numbered = true
    this
  }

  override def isNumbered: Boolean = numbered
  override def number(id: Long, epoch: Short, first: Int): Unit = { numbers += ((id, epoch, first)); () }

  override def buffer: Option[Array[Byte]] = Some(memory)
  override def useBuffer(larger: Array[Byte]): Unit = memory = larger

  override def tryAdd(event: OutgoingEvent): EventBatch.AddResult =
    if (event.body.length > maxBytes) EventBatch.TooLarge
    else if (bytes + event.body.length > maxBytes) EventBatch.Full
    else {
      events += event
      EventBatch.Added
    }

  override def count: Int = events.length
  override def bytes: Int = events.map(_.body.length).sum
  def bodies: Seq[String] = events.map(event => new String(BodyBytes.of(event.body))).toSeq
}

/** A batch on the wire, whose result the test decides. */
final class FakeSend(val batch: FakeBatch) {
  val result = new CompletableFuture[Unit]
  def confirm(): Unit = { result.complete(()); () }
  def fail(error: Throwable): Unit = { result.completeExceptionally(error); () }
}

/**
 * A producer without a service.
 *
 * @param onSend completes the send of a batch, at once, later or never
 * @param grants answers to new links of idempotent producers
 * @param onQuestion completes when the partitions are known
 * @param onLink     completes when the link to a destination is open
 */
final class FakeProducer(
    partitions: Int,
    onSend: FakeSend => Unit,
    batchBytes: => Int = 10,
    grants: ProducerClaim => Option[ProducerGrant] = _ => None,
    onQuestion: () => CompletableFuture[Unit] = () => CompletableFuture.completedFuture(()),
    onLink: WriteDestination => CompletableFuture[Unit] = _ => CompletableFuture.completedFuture(())
) extends EventHubsProducer {
  val sends = mutable.ArrayBuffer.empty[FakeSend]

  /** The links of idempotent producers. */
  val links = mutable.ArrayBuffer.empty[FakeLink]
  var isClosed = false
  @volatile var isAborted = false
  @volatile var onAbort: () => Unit = () => ()

  override def partitionIds(): CompletableFuture[IndexedSeq[String]] =
    onQuestion().thenApply[IndexedSeq[String]](_ => (0 until partitions).map(_.toString))

  override def newBatch(destination: WriteDestination, maxBytes: Option[Int]): CompletableFuture[EventBatch] =
    onLink(destination).thenApply[EventBatch] { _ =>
      new FakeBatch(destination, maxBytes.fold(batchBytes)(math.min(_, batchBytes)))
    }

  override def send(batch: EventBatch): CompletableFuture[Unit] = {
    val sent = new FakeSend(batch.asInstanceOf[FakeBatch])
    sends += sent
    onSend(sent)
    sent.result
  }

  override def openIdempotent(
      partition: WriteDestination.ToPartition,
      claim: ProducerClaim
  ): CompletableFuture[Option[IdempotentLink]] =
    onLink(partition).thenApply { _ =>
      val link = grants(claim).map(new FakeLink(this, partition, _))
      links ++= link
      link
    }

  override def close(): Unit = isClosed = true

  override def abort(): Unit = {
    isAborted = true
    close()
    onAbort()
  }
}

/** A link of an idempotent producer, over a connection. */
final class FakeLink(over: FakeProducer, partition: WriteDestination, override val grant: ProducerGrant)
    extends IdempotentLink {

  override def newBatch(maxBytes: Option[Int]): EventBatch =
    new FakeBatch(partition, maxBytes.fold(10)(math.min(_, 10))).asNumbered

  var isClosed = false

  override def send(batch: EventBatch): CompletableFuture[Unit] = over.send(batch)

  override def close(): Unit = isClosed = true
}
