package org.apache.spark.eventhubs

import java.time.Duration

import org.apache.spark.eventhubs.options.{
  ConnectionOptions,
  ConnectionSettings,
  ConnectionString,
  ConnectionStringParts,
  EventHubsOption,
  EventHubsOptions,
  OptionsCheck,
  PreferredLocationStrategy,
  ReadOptions,
  Timeouts
}

/**
 * The options of one source or sink, under the legacy connector's method names: `spark.readStream.options(conf.toMap)`.
 *
 * A setter changes this conf and returns it, as in the legacy, because code that ignores what it returns must go on to work.
 * What is underneath, and what `toMap` hands out, is an immutable map over the option table. A value that does not fit its
 * option is refused where it is set. Prints without secrets.
 */
final class EventHubsConf private (initial: Map[String, String]) extends Serializable with Cloneable {
  import ConnectionOptions.{ConnectionString => StringOption, _}
  import ReadOptions._

  @volatile private var settings: Map[String, String] = initial

  /** The plain options for Spark. They hold the secret: do not print them. */
  def toMap: Map[String, String] = settings

  /** Sets any option by its key or alias; a key that is not in the table is refused with the nearest name. */
  def set[A](key: String, value: A): EventHubsConf = {
    val text = Option(value).getOrElse(throw EventHubsErrors.missingOption(key, "It was set to null.")).toString
    settings = EventHubsConf.checked(settings.updated(EventHubsConf.canonical(key), text))
    this
  }

  /** The text of an option that is set, by its key or alias. */
  def get(key: String): Option[String] = settings.get(EventHubsConf.canonical(key))

  def apply(key: String): String =
    get(key).getOrElse(throw EventHubsErrors.missingOption(key, "Set it before it is read from the conf."))

  def connectionString: String = apply(StringOption.key)
  def setConnectionString(connectionString: String): EventHubsConf = set(StringOption.key, connectionString)

  /** The event hub's name. */
  def name: String = connection.hub.name

  /** Names another event hub of the same namespace. */
  def setName(eventHubName: String): EventHubsConf = get(StringOption.key) match {
    case None => set(Name.key, eventHubName)
    case Some(text) =>
      val renamed = ConnectionStringParts.parse(text).set(ConnectionStringParts.EntityPath, eventHubName)
      settings -= Name.key
      set(StringOption.key, renamed.render)
  }

  /** As the legacy gives it: `sb://contoso.servicebus.windows.net/`. */
  def namespaceUri: String = s"sb://${connection.hub.namespace}/"

  def consumerGroup: Option[String] = value(ConsumerGroup)
  def setConsumerGroup(consumerGroup: String): EventHubsConf = set(ConsumerGroup.key, consumerGroup)

  def startingPosition: Option[EventPosition] = value(StartingPosition)
  def setStartingPosition(position: EventPosition): EventHubsConf =
    set(StartingPosition.key, PositionJson.render(position))

  def startingPositions: Option[Map[NameAndPartition, EventPosition]] = positions(StartingPositions)
  def setStartingPositions(positions: Map[NameAndPartition, EventPosition]): EventHubsConf =
    set(StartingPositions.key, PartitionPositions(positions).render)

  def endingPosition: Option[EventPosition] = value(EndingPosition)
  def setEndingPosition(position: EventPosition): EventHubsConf = set(EndingPosition.key, PositionJson.render(position))

  def endingPositions: Option[Map[NameAndPartition, EventPosition]] = positions(EndingPositions)
  def setEndingPositions(positions: Map[NameAndPartition, EventPosition]): EventHubsConf =
    set(EndingPositions.key, PartitionPositions(positions).render)

  def maxEventsPerTrigger: Option[Long] = value(MaxEventsPerTrigger)
  def setMaxEventsPerTrigger(limit: Long): EventHubsConf = set(MaxEventsPerTrigger.key, limit)

  def prefetchCount: Option[Int] = value(PrefetchCount)
  def setPrefetchCount(count: Int): EventHubsConf = set(PrefetchCount.key, count)

  def receiverTimeout: Option[Duration] = value(ReceiverTimeout)
  def setReceiverTimeout(timeout: Duration): EventHubsConf = set(ReceiverTimeout.key, timeout)

  def operationTimeout: Option[Duration] = value(OperationTimeout)
  def setOperationTimeout(timeout: Duration): EventHubsConf = set(OperationTimeout.key, timeout)

  def useExclusiveReceiver: Boolean = value(UseExclusiveReceiver).contains(true) || value(OwnerLevel).isDefined
  def setUseExclusiveReceiver(exclusive: Boolean): EventHubsConf = set(UseExclusiveReceiver.key, exclusive)

  def partitionPreferredLocationStrategy: Option[PreferredLocationStrategy] = value(PreferredLocations)
  def setPartitionPreferredLocationStrategy(strategy: String): EventHubsConf = set(PreferredLocations.key, strategy)

  /**
   * Checks what a query would check first: that it is known which hub, and how to sign in.
   *
   * @return true
   * @throws EventHubsException that says what is missing or contradicts
   */
  def validate: Boolean = {
    connection
    true
  }

  override def clone: EventHubsConf = new EventHubsConf(settings)

  override def equals(other: Any): Boolean = other match {
    case conf: EventHubsConf => conf.toMap == toMap
    case _ => false
  }

  override def hashCode: Int = toMap.hashCode

  override def toString: String = s"EventHubsConf(${OptionsCheck(settings).shown})"

  private def connection: ConnectionSettings = ConnectionSettings.parse(OptionsCheck(settings))

  private def value[A](option: EventHubsOption[A]): Option[A] = OptionsCheck(settings).explicit(option)

  private def positions(option: EventHubsOption[PartitionPositions]): Option[Map[NameAndPartition, EventPosition]] =
    value(option).map(_.byName(name))
}

object EventHubsConf {

  /** @param connectionString of an event hub, or of a namespace when [[EventHubsConf.setName]] follows */
  def apply(connectionString: String): EventHubsConf =
    new EventHubsConf(Map.empty).setConnectionString(connectionString)

  /** The options of an existing job, with its keys in any case. */
  def toConf(options: Map[String, String]): EventHubsConf = new EventHubsConf(checked(options))

  private def canonical(key: String): String = EventHubsOptions.find(key).fold(key)(_.key)

  /** The same options under their canonical keys, once each is known to be right by itself. */
  private def checked(options: Map[String, String]): Map[String, String] = {
    val known = OptionsCheck(options)
    EventHubsOptions.all.foreach(option => known.explicit(option))
    known.get(ConnectionOptions.ConnectionString).foreach(ConnectionString.parse)
    Timeouts(known, None)
    options.filterNot { case (key, _) => EventHubsOptions.find(key).isDefined } ++ known.texts
  }
}
