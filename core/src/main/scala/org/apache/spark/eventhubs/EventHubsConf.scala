package org.apache.spark.eventhubs

import java.time.Duration
import java.util.{Map => JavaMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.eventhubs.credentials.SecretText
import org.apache.spark.eventhubs.options.{
  ConnectionOptions,
  ConnectionSettings,
  ConnectionString,
  ConnectionStringParts,
  EventHubsOption,
  EventHubsOptions,
  HubSelection,
  OptionsParser,
  PreferredLocationStrategy,
  ReadOptions,
  ReadTimeouts
}

/**
 * The options of one source or sink, with the legacy connector's method names: `spark.readStream.options(conf.toMap)`.
 *
 * A setter changes this conf and returns it, as in the legacy connector, because existing code may ignore the result.
 * It rejects a value that is not valid for its option. `toMap` returns an immutable map. `toString` shows no secrets.
 */
final class EventHubsConf private (initial: Map[String, String]) extends Serializable with Cloneable {
  import ConnectionOptions.{ConnectionString => StringOption, _}
  import ReadOptions._

  /** @param connectionString of an event hub, or of a namespace when [[setName]] follows */
  def this(connectionString: String) = this(EventHubsConf.withConnectionString(connectionString))

  @volatile private var settings: Map[String, String] = initial

  /** The options for Spark. They contain secrets: do not print them. */
  def toMap: Map[String, String] = settings

  /** Sets any option by its key or alias. The error for an unknown key suggests the nearest one. */
  def set[A](key: String, value: A): EventHubsConf = {
    settings = EventHubsConf.updated(settings, key, value)
    this
  }

  /** The text of an option by its key or alias; None if it is not set. */
  def get(key: String): Option[String] = settings.get(EventHubsConf.canonical(key))

  def apply(key: String): String =
    get(key).getOrElse(throw EventHubsErrors.missingOption(key, "Set it before you read it from the conf."))

  def connectionString: String = apply(StringOption.key)
  def setConnectionString(connectionString: String): EventHubsConf = set(StringOption.key, connectionString)

  /** The event hub's name; of several hubs, their names with commas between them, or the pattern. */
  def name: String = connection.hub.name

  /** Selects another event hub of the same namespace, or several, such as `orders,returns`. */
  def setName(eventHubName: String): EventHubsConf = get(StringOption.key) match {
    case None => set(Name.key, eventHubName)
    case Some(text) if SecretText.isReference(text) => set(Name.key, eventHubName)
    case Some(text) if HubSelection.isList(eventHubName) =>
      set(StringOption.key, ConnectionStringParts.parse(text).remove(ConnectionStringParts.EntityPath).render)
      set(Name.key, eventHubName)
    case Some(text) =>
      val renamed = ConnectionStringParts.parse(text).set(ConnectionStringParts.EntityPath, eventHubName)
      settings -= Name.key
      set(StringOption.key, renamed.render)
  }

  /** Returns the legacy connector's form: `sb://contoso.servicebus.windows.net/`. */
  def namespaceUri: String = s"sb://${connection.hub.namespace}/"

  def consumerGroup: Option[String] = value(ConsumerGroup)
  def setConsumerGroup(consumerGroup: String): EventHubsConf = set(ConsumerGroup.key, consumerGroup)

  def startingPosition: Option[EventPosition] = value(StartingPosition)
  def setStartingPosition(position: EventPosition): EventHubsConf =
    set(StartingPosition.key, PositionJson.render(position))

  def startingPositions: Option[Map[NameAndPartition, EventPosition]] = positions(StartingPositions)
  def setStartingPositions(positions: Map[NameAndPartition, EventPosition]): EventHubsConf =
    set(StartingPositions.key, PartitionPositions(positions).render)

  def setStartingPositions(positions: JavaMap[NameAndPartition, EventPosition]): EventHubsConf =
    setStartingPositions(positions.asScala.toMap)

  def endingPosition: Option[EventPosition] = value(EndingPosition)
  def setEndingPosition(position: EventPosition): EventHubsConf = set(EndingPosition.key, PositionJson.render(position))

  def endingPositions: Option[Map[NameAndPartition, EventPosition]] = positions(EndingPositions)
  def setEndingPositions(positions: Map[NameAndPartition, EventPosition]): EventHubsConf =
    set(EndingPositions.key, PartitionPositions(positions).render)

  def setEndingPositions(positions: JavaMap[NameAndPartition, EventPosition]): EventHubsConf =
    setEndingPositions(positions.asScala.toMap)

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
  def setPartitionPreferredLocationStrategy(strategy: PreferredLocationStrategy): EventHubsConf =
    set(PreferredLocations.key, PreferredLocations.valueType.render(strategy))

  /**
   * Checks that the conf has an event hub and a credential, as a query does first.
   *
   * @return true
   * @throws EventHubsException if an option is missing or contradicts another
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

  override def toString: String = s"EventHubsConf(${OptionsParser.parse(settings).shown})"

  private def connection: ConnectionSettings = ConnectionSettings.toRead(OptionsParser.parse(settings))._1

  private def value[A](option: EventHubsOption[A]): Option[A] = OptionsParser.parse(settings).explicit(option)

  private def positions(option: EventHubsOption[PartitionPositions]): Option[Map[NameAndPartition, EventPosition]] =
    value(option).map(_.byNameAndPartition(name))
}

object EventHubsConf {

  /** The legacy connector's names of the keys. Options that have no effect here are in docs/options.md. */
  val ConnectionStringKey: String = ConnectionOptions.ConnectionString.key
  val ConsumerGroupKey: String = ReadOptions.ConsumerGroup.key
  val StartingPositionKey: String = ReadOptions.StartingPosition.key
  val StartingPositionsKey: String = ReadOptions.StartingPositions.key
  val EndingPositionKey: String = ReadOptions.EndingPosition.key
  val EndingPositionsKey: String = ReadOptions.EndingPositions.key
  val MaxEventsPerTriggerKey: String = ReadOptions.MaxEventsPerTrigger.key
  val ReceiverTimeoutKey: String = ReadOptions.ReceiverTimeout.key
  val OperationTimeoutKey: String = ConnectionOptions.OperationTimeout.key
  val PrefetchCountKey: String = ReadOptions.PrefetchCount.key
  val UseExclusiveReceiverKey: String = ReadOptions.UseExclusiveReceiver.key
  val PartitionPreferredLocationStrategyKey: String = ReadOptions.PreferredLocations.key
  val MaxRatePerPartitionKey: String = "eventhubs.maxRatePerPartition"
  val MaxRatesPerPartitionKey: String = "eventhubs.maxRatesPerPartition"
  val MaxSilentTimeKey: String = "eventhubs.maxSilentTime"
  val ThreadPoolSizeKey: String = "eventhubs.threadPoolSize"
  val UseSimulatedClientKey: String = "eventhubs.useSimulatedClient"
  val MetricPluginKey: String = "eventhubs.metricPlugin"
  val SlowPartitionAdjustmentKey: String = "eventhubs.slowPartitionAdjustment"
  val ThrottlingStatusPluginKey: String = "eventhubs.throttlingStatusPlugin"
  val MaxAcceptableBatchReceiveTimeKey: String = "eventhubs.maxAcceptableBatchReceiveTime"
  val UseAadAuthKey: String = "eventhubs.useAadAuth"
  val AadAuthCallbackKey: String = "eventhubs.aadAuthCallback"
  val AadAuthCallbackParamsKey: String = "eventhubs.AadAuthCallbackParams"
  val DynamicPartitionDiscoveryKey: String = "eventhubs.DynamicPartitionDiscovery"

  /** @param connectionString of an event hub, or of a namespace when [[EventHubsConf.setName]] follows */
  def apply(connectionString: String): EventHubsConf = new EventHubsConf(connectionString)

  /** Takes over the options of an existing job. Keys may be in any case. */
  def toConf(options: Map[String, String]): EventHubsConf = new EventHubsConf(checked(options))

  private def withConnectionString(text: String): Map[String, String] = updated(Map.empty, ConnectionStringKey, text)

  private def updated(settings: Map[String, String], key: String, value: Any): Map[String, String] = {
    val text =
      Option(value).getOrElse(throw EventHubsErrors.missingOption(key, "Its value is null; set a value.")).toString
    checked(settings.updated(canonical(key), text))
  }

  private def canonical(key: String): String = EventHubsOptions.find(key).fold(key)(_.key)

  /** Returns the options under their canonical keys, after each value is checked alone. */
  private def checked(options: Map[String, String]): Map[String, String] = {
    val parsed = OptionsParser.parse(options)
    EventHubsOptions.all.foreach(option => parsed.explicit(option))
    parsed.secret(ConnectionOptions.ConnectionString).collect { case PlainSecret(text) => ConnectionString.parse(text) }
    ReadTimeouts.parse(parsed, None)
    options.filterNot { case (key, _) => EventHubsOptions.find(key).isDefined } ++ parsed.texts
  }
}
