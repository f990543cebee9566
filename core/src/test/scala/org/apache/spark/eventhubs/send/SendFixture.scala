package org.apache.spark.eventhubs.send

import java.time.Duration
import java.util.Collections

import org.apache.spark.eventhubs.amqp.{OutgoingBody, OutgoingEvent}
import org.apache.spark.eventhubs.background.ManualBackground
import org.apache.spark.eventhubs.connection.{EventHubsProducer, ProducerPool}
import org.apache.spark.eventhubs.options.{ConnectionSettings, OversizedEvents, Transport}
import org.apache.spark.eventhubs.{Credential, EventHubName, Secret}
import org.apache.spark.util.ManualTime

/** What the tests of sending share. */
object SendFixture {

  val hub: EventHubName = EventHubName("ns.example", "telemetry")

  val connectionString: String =
    "Endpoint=sb://ns.example/;SharedAccessKeyName=policy;SharedAccessKey=key;EntityPath=telemetry"

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
    silence = Duration.ofSeconds(20),
    oversized = OversizedEvents.Fail
  )

  def event(body: String, key: Option[String] = None): OutgoingEvent =
    OutgoingEvent(OutgoingBody(body.getBytes), key, Collections.emptyMap[String, AnyRef], None, None, None)

  def poolOf(producers: EventHubsProducer*): ProducerPool = {
    val next = producers.iterator
    new ProducerPool(_ => next.next(), Duration.ofMinutes(1), new ManualTime)
  }

  def accumulator(
      pool: ProducerPool,
      limits: SendLimits = limits,
      results: ManualSendResults = new ManualSendResults,
      checkCancelled: () => Unit = () => (),
      lookup: Option[InDoubtBatchLookup] = None
  ): OneHubBatches =
    new OneHubBatches(
      pool.borrow(connection),
      new Sender(limits, results, results.clock, SendPermit(checkCancelled), new ManualBackground(results.clock)),
      lookup
    )
}
