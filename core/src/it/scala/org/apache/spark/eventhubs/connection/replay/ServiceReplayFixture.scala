package org.apache.spark.eventhubs.connection.replay

import java.util.concurrent.ConcurrentLinkedQueue

import scala.jdk.CollectionConverters._

import org.apache.spark.eventhubs.amqp.ReceivedEvent
import org.apache.spark.eventhubs.connection._
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import org.apache.spark.eventhubs.receive.PrefetchQueue
import org.apache.spark.eventhubs.{EventHubName, EventHubsException}
import testkit.TestSuite

/** Clients of the connector that get the service's own frames, as public traces have them. */
trait ServiceReplayFixture { this: TestSuite =>

  protected val hub = "telemetry"

  protected def options(replay: ServiceReplay): Map[String, String] = Map(
    "eventhubs.connectionString" -> (s"Endpoint=sb://localhost:${replay.port};SharedAccessKeyName=reader;" +
      s"SharedAccessKey=c2VjcmV0;UseDevelopmentEmulator=true;EntityPath=$hub"),
    "eventhubs.operationTimeout" -> "20s",
    "eventhubs.sendTimeout" -> "60s"
  )

  protected def replaying[T](script: => ReplayScript)(use: ServiceReplay => T): T = {
    val replay = new ServiceReplay(() => script)
    try {
      val result = use(replay)
      assert(replay.failure.isEmpty, replay.failure)
      result
    } finally replay.close()
  }

  protected def reading[T](script: => ReplayScript)(use: AzureEventHubsClient => T): T = replaying(script) { replay =>
    val client = new AzureEventHubsClient(ReadSettings.parse(options(replay), ReadMode.Stream).connection)
    try use(client)
    finally client.close()
  }

  protected def open(client: AzureEventHubsClient, credit: Long): PrefetchQueue = {
    val queue = new PrefetchQueue(1000)
    client.subscribe(ReceiveLink("$Default", 0, 0, None), queue)
    queue.request(credit)
    queue
  }

  /** How a link failed, as the connector reports it, and whether another attempt may succeed. */
  protected def failureOf(queue: PrefetchQueue): (EventHubsException, Boolean) = {
    eventually("the link has ended")(queue.ended.nonEmpty)
    queue.ended match {
      case Some(PrefetchQueue.Ending.Failed(error)) =>
        val of = EventHubName("localhost", hub)
        (SdkErrors.translate(error, of, "reading partition 0"), SdkErrors.isTransient(error))
      case other => fail(s"the link ended with $other")
    }
  }

  protected def take(queue: PrefetchQueue, count: Int): Seq[(Long, String)] = {
    val taken = new ConcurrentLinkedQueue[(Long, String)]
    eventually(s"$count events") {
      Iterator.continually(queue.poll()).takeWhile(_ ne null).foreach { message =>
        val event = new ReceivedEvent
        event.set(message)
        taken.add(event.sequenceNumber -> new String(event.body))
      }
      assert(queue.ended.isEmpty || taken.size >= count, s"the link ended: ${queue.ended}")
      taken.size >= count
    }
    taken.asScala.toSeq
  }

  protected class ReadScript extends EventHubScript(hub, partitions = 2, lastSequenceNumber = 4)
}
