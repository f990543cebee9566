package org.apache.spark.eventhubs.sim

import java.time.Duration
import java.util.concurrent.TimeoutException

import scala.collection.mutable

import reactor.core.CoreSubscriber

import org.apache.spark.eventhubs.EventPosition
import org.apache.spark.eventhubs.connection._
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.ConnectionSettings

/** A connection to the simulated service. A call blocks until its answer has come, while other things happen. */
private[spark] final class SimClient(hub: SimHub, network: SimNetwork, settings: ConnectionSettings)
    extends EventHubsClient {

  private val world = hub.world
  private val timeout = settings.operationTimeout.toMillis
  private val links = mutable.ArrayBuffer.empty[SimLink]
  private var known = Seq.empty[Int]

  override def knownPartitions: Seq[Int] = known

  override def hubProperties(): HubProperties = hubProperties(SimClient.Never)

  override def hubProperties(abandoned: () => Boolean): HubProperties = {
    val answer = ask("asking about the hub", abandoned, None)(properties())
    await(answer, abandoned)
  }

  override def partitionBounds(partitionIds: Seq[Int]): Map[Int, PartitionBounds] =
    partitionBounds(partitionIds, SimClient.Never)

  override def partitionBounds(ids: Seq[Int], abandoned: () => Boolean): Map[Int, PartitionBounds] = {
    val asked = ids.map(id => id -> ask(s"asking about partition $id", abandoned, Some(id))(bounds(id)))
    asked.map { case (id, answer) => id -> await(answer, abandoned) }.toMap
  }

  override def hubState(ids: Seq[Int]): (HubProperties, Map[Int, PartitionBounds]) = hubState(ids, SimClient.Never)

  override def hubState(ids: Seq[Int], abandoned: () => Boolean): (HubProperties, Map[Int, PartitionBounds]) = {
    val ofHub = ask("asking about the hub", abandoned, None)(properties())
    val asked = ids.map(id => id -> ask(s"asking about partition $id", abandoned, Some(id))(bounds(id)))
    (await(ofHub, abandoned), asked.map { case (id, answer) => id -> await(answer, abandoned) }.toMap)
  }

  private def properties(): HubProperties = {
    if (hub.isMissing) throw SimLink.NotFound.get
    known = 0 until hub.answeredCount
    HubProperties(settings.hub.name, HubGeneration.CreatedAt(hub.createdAt), known)
  }

  private def bounds(id: Int): PartitionBounds = {
    if (hub.isMissing) throw SimLink.NotFound.get
    hub.partitions.lift(id).getOrElse(throw SimLink.NotFound.get).answer
  }

  override def firstSequenceNumber(
      consumerGroup: String,
      partitionId: Int,
      position: EventPosition,
      ownerLevel: Option[Long],
      timeout: Duration,
      whenEmpty: Option[Long]
  ): Option[Long] = {
    val from = position match {
      case at: EventPosition.AtSequenceNumber => at.first
      case other => throw new UnsupportedOperationException(s"the simulation has no start at $other")
    }
    received(partitionId, from, whenEmpty)(_.seqNo)
  }

  override def epochAt(
      consumerGroup: String,
      partitionId: Int,
      seqNo: Long,
      ownerLevel: Option[Long],
      timeout: Duration,
      whenEmpty: Option[Int]
  ): Option[Int] = received(partitionId, seqNo, whenEmpty)(_.epoch)

  /** The first event from a number on, or None after the timeout. */
  private def received[A](id: Int, from: Long, whenEmpty: Option[A])(of: StoredEvent => A): Option[A] = {
    val deadline = world.now + timeout
    val answer = ask(s"looking into partition $id", SimClient.Never, Some(id)) {
      if (hub.isMissing) throw SimLink.NotFound.get
      val partition = hub.partitions.lift(id).getOrElse(throw SimLink.NotFound.get)
      if (from > partition.latest) throw SimLink.beyondEnd(from, partition.latest - 1).get
      Option(partition.events.ceilingEntry(from)).map(entry => of(entry.getValue)).orElse(whenEmpty)
    }
    val found = await(answer, SimClient.Never)
    if (found.isEmpty) world.runUntil(deadline)
    found
  }

  override def checkReading(group: String, partitionId: Int, ownerLevel: Option[Long], timeout: Duration): Unit = ()

  override def subscribe(link: ReceiveLink, reader: CoreSubscriber[Array[Byte]]): Unit = {
    world.step()
    val opened = new SimLink(network, hub, link, reader)
    links += opened
    opened.connect()
  }

  /** The process that has this connection is dead. */
  def orphan(): Unit = links.foreach(_.orphan())

  override def close(): Unit = ()

  private final class Answer[A](val doing: String, val deadline: Long) {
    var result = Option.empty[Either[Throwable, A]]
  }

  private def ask[A](doing: String, abandoned: () => Boolean, partition: Option[Int])(answer: => A): Answer[A] = {
    world.step()
    if (abandoned()) throw new AbandonedQuestionException("before it was asked")
    val question = new Answer[A](doing, world.now + timeout)
    world.after(network.millis) {
      hub.questions += 1
      val isDown = partition.exists(id => hub.partitions.lift(id).exists(_.isDown))
      if (!network.isAnswerLost && !isDown) {
        val found =
          try Right(if (network.isBusy) throw SimLink.busy.get else answer)
          catch { case failed: com.azure.core.amqp.exception.AmqpException => Left(failed) }
        world.after(network.answerMillis)(if (question.result.isEmpty) question.result = Some(found))
      }
    }
    question
  }

  private def await[A](answer: Answer[A], abandoned: () => Boolean): A = {
    while (answer.result.isEmpty && world.now < answer.deadline) {
      world.step()
      if (abandoned()) throw new AbandonedQuestionException(answer.doing)
      world.advance(math.min(answer.deadline, world.now + 100))
    }
    answer.result.getOrElse(Left(new TimeoutException(s"no answer within $timeout ms"))) match {
      case Right(found) => found
      case Left(error) => throw SdkErrors.translate(error, settings, answer.doing)
    }
  }
}

private object SimClient {
  private val Never: () => Boolean = () => false
}
