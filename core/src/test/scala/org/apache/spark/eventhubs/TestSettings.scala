package org.apache.spark.eventhubs

import java.time.Instant

import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}

/** Settings of a query for a hub that no test connects to. */
object TestSettings {

  val hub: EventHubName = EventHubName("contoso.servicebus.windows.net", "telemetry")

  /** The generation of the hub when it is first created. */
  val generation: HubGeneration = HubGeneration.CreatedAt(Instant.parse("2024-01-01T00:00:00Z"))

  private def connectionString(hub: String, key: String) =
    s"Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=reader;SharedAccessKey=$key;EntityPath=$hub"

  def stream(options: (String, String)*): ReadSettings = read(ReadMode.Stream, "telemetry", "a2V5", options)

  def batch(options: (String, String)*): ReadSettings = read(ReadMode.Batch, "telemetry", "a2V5", options)

  def withKey(key: String): ReadSettings = read(ReadMode.Stream, "telemetry", key, Nil)

  def ofHub(name: String): ReadSettings = read(ReadMode.Stream, name, "a2V5", Nil)

  private def read(mode: ReadMode, hub: String, key: String, options: Seq[(String, String)]): ReadSettings =
    ReadSettings.parse(Map("eventhubs.connectionString" -> connectionString(hub, key)) ++ options, mode)
}
