package localhub.amqp.server

import java.util.Locale

import localhub.namespace.EventHub

/** A partition of a consumer group. Hubs are compared by identity, because a recreated hub is another one. */
private[amqp] final class ConsumerGroupPartition(val hub: EventHub, val consumerGroup: String, val partition: String) {
  private val group = consumerGroup.toLowerCase(Locale.ROOT)

  override def equals(other: Any): Boolean = other match {
    case groupPartition: ConsumerGroupPartition =>
      (groupPartition.hub eq hub) && groupPartition.group == group && groupPartition.partition == partition
    case _ => false
  }
  override def hashCode: Int = (System.identityHashCode(hub), group, partition).hashCode
}

/** One reader in the [[ReaderRegistry]]. */
private[amqp] trait RegisteredReader {
  def groupPartition: ConsumerGroupPartition
  def epoch: Option[Long]

  /** The receiver name that the client set. */
  def identifier: Option[String]
  def view: ReaderView

  /** Ends the reader. Call from any thread. */
  def disconnect(failure: AmqpFailure): Unit
}

/** All readers of a server. Applies the rules for epochs and for the number of readers. Thread-safe. */
private[amqp] final class ReaderRegistry(maxReadersPerPartition: Int) {
  import ReaderRegistry._

  private var readers = Map.empty[ConsumerGroupPartition, Vector[RegisteredReader]]

  /**
   * Admits the reader, or returns why not. A reader with an epoch disconnects those with a lower or equal one, and
   * those without. Disconnected readers are no longer counted when this returns.
   */
  def admit(newcomer: RegisteredReader): Either[AmqpFailure, Unit] = {
    val decision = synchronized {
      val present = readers.getOrElse(newcomer.groupPartition, Vector.empty)
      decide(newcomer, present).map { disconnected =>
        readers += newcomer.groupPartition -> (present.diff(disconnected) :+ newcomer)
        disconnected
      }
    }
    decision.map(_.foreach(reader => reader.disconnect(stolen(newcomer, reader))))
  }

  def remove(reader: RegisteredReader): Unit = synchronized {
    readers.get(reader.groupPartition).map(_.filterNot(_ eq reader)).foreach { left =>
      readers = if (left.isEmpty) readers - reader.groupPartition else readers + (reader.groupPartition -> left)
    }
  }

  def all: Seq[RegisteredReader] = synchronized(readers.values.flatten.toVector)

  private def decide(
      newcomer: RegisteredReader,
      present: Vector[RegisteredReader]
  ): Either[AmqpFailure, Vector[RegisteredReader]] = {
    val owner = present.find(_.epoch.nonEmpty)
    (newcomer.epoch, owner.flatMap(_.epoch)) match {
      case (Some(epoch), Some(higher)) if epoch < higher => Left(lowerEpoch(newcomer, epoch, owner, higher))
      case (Some(_), _) => Right(present)
      case (None, Some(epoch)) => Left(ownedPartition(epoch))
      case (None, None) if present.length >= maxReadersPerPartition => Left(tooMany(present))
      case (None, None) => Right(Vector.empty)
    }
  }

  private def tooMany(present: Vector[RegisteredReader]): AmqpFailure = AmqpFailure(
    "amqp:resource-limit-exceeded",
    s"Exceeded the maximum number of allowed receivers per partition in a consumer group which is $maxReadersPerPartition. " +
      s"List of connected receivers - ${present.map(nameOf).mkString(", ")}."
  )
}

private object ReaderRegistry {
  private val Stolen = "amqp:link:stolen"

  def nameOf(reader: RegisteredReader): String = reader.identifier.getOrElse("nil")

  def stolen(newcomer: RegisteredReader, current: RegisteredReader): AmqpFailure = AmqpFailure(
    Stolen,
    s"New receiver '${nameOf(newcomer)}' with higher epoch of '${newcomer.epoch.getOrElse(0L)}' is created hence current " +
      s"receiver '${nameOf(current)}' with epoch '${current.epoch.fold("nil")(_.toString)}' is getting disconnected. " +
      "If you are recreating the receiver, make sure a higher epoch is used."
  )

  def lowerEpoch(newcomer: RegisteredReader, epoch: Long, owner: Option[RegisteredReader], higher: Long): AmqpFailure =
    AmqpFailure(
      Stolen,
      s"Receiver '${owner.fold("nil")(nameOf)}' with a higher epoch '$higher' already exists. " +
        s"Receiver '${nameOf(newcomer)}' with epoch $epoch cannot be created. Make sure you are creating receiver with " +
        "increasing epoch value to ensure connectivity, or ensure all old epoch receivers are closed or disconnected."
    )

  def ownedPartition(epoch: Long): AmqpFailure = AmqpFailure(
    Stolen,
    s"At least one receiver for the endpoint is created with epoch of '$epoch', and so non-epoch receiver is not allowed. " +
      "Either reconnect with a higher epoch, or make sure all epoch receivers are closed or disconnected."
  )
}
