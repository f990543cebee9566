package org.apache.spark.eventhubs.connection.replay

import org.apache.spark.eventhubs.receive.PrefetchQueue
import testkit.TestSuite

/** The connector classifies how the service refuses a reader, and how it ends an open one. */
class ServiceRefusalSuite extends TestSuite with ServiceReplayFixture {
  import ServiceRefusalSuite._

  private val refusals = Seq(
    Refusal(
      "missing claims",
      "amqp:unauthorized-access",
      "Unauthorized access. 'Listen' claim(s) are required to perform this operation. Resource: " +
        "'sb://ns/telemetry/consumergroups/$default/partitions/0'.",
      "EVENTHUBS_AUTHENTICATION",
      passes = false
    ),
    Refusal(
      "an unknown partition",
      "com.microsoft:argument-out-of-range",
      "The specified partition is invalid for an EventHub partition sender or receiver. It should be between 0 and 1.\n" +
        "Parameter name: PartitionId",
      "EVENTHUBS_NOT_FOUND",
      passes = false
    ),
    Refusal(
      "an unknown consumer group",
      "amqp:not-found",
      "The messaging entity 'ns:eventhub:telemetry~32766|dashboards' could not be found.",
      "EVENTHUBS_NOT_FOUND",
      passes = false
    ),
    Refusal(
      "too many readers",
      "amqp:resource-limit-exceeded",
      "Exceeded the maximum number of allowed receivers per partition in a consumer group which is 5. List of connected " +
        "receivers - nil, nil, nil, nil, nil.",
      "EVENTHUBS_QUOTA_EXCEEDED",
      passes = false
    ),
    Refusal(
      "a reader with an epoch",
      "amqp:link:stolen",
      "At least one receiver for the endpoint is created with epoch of '0', and so non-epoch receiver is not allowed. " +
        "Either reconnect with a higher epoch, or make sure all epoch receivers are closed or disconnected.",
      "EVENTHUBS_RECEIVER_DISCONNECTED",
      passes = false
    ),
    Refusal(
      "a busy service",
      "com.microsoft:server-busy",
      "The request was terminated because the entity is being throttled. Error code : 50002. Sub error : 102. Please " +
        "wait 4 seconds and try again.",
      "EVENTHUBS_THROTTLED",
      passes = true
    ),
    Refusal(
      "a failure of the service",
      "amqp:internal-error",
      "The service was unable to process the request; please retry the operation.",
      "EVENTHUBS_SERVICE",
      passes = true
    )
  )

  private def assertEnds(queue: PrefetchQueue, refusal: Refusal): Unit = {
    val (failed, passes) = failureOf(queue)
    assert(failed.getCondition == refusal.expected && passes == refusal.passes, failed)
    assert(failed.getMessage.contains(refusal.text.linesIterator.next()))
  }

  refusals.foreach { refusal =>
    test(s"a refused reader: ${refusal.what}") {
      class Script extends ReadScript {
        override def onAttach(link: ReplayedLink, connection: ReplayConnection): Unit = {
          refuse(link, refusal.condition, refusal.text, connection)
          if (refusal.condition == "amqp:unauthorized-access") end(link, refusal.condition, refusal.text, connection)
        }
      }
      reading(new Script)(client => assertEnds(open(client, 5), refusal))
    }
  }

  private val interruptions = Seq(
    Refusal(
      "an expired token",
      "amqp:link:detach-forced",
      "Unauthorized access. 'Listen' claim(s) are required to perform this operation. Resource: " +
        "'sb://ns/telemetry/consumergroups/$default/partitions/0'.",
      "EVENTHUBS_SERVICE",
      passes = true
    ),
    Refusal(
      "an idle reader",
      "amqp:link:detach-forced",
      "The link 'G17:6442759:15_b00c67_1' is force detached. Code: ServerError. Details: " +
        "AmqpEventHubConsumer.IdleTimerExpired: Idle timeout: 00:30:00.",
      "EVENTHUBS_SERVICE",
      passes = true
    ),
    Refusal(
      "another reader with an epoch",
      "amqp:link:stolen",
      "New receiver 'nil' with higher epoch of '0' is created hence current receiver 'nil' with epoch '0' is getting " +
        "disconnected. If you are recreating the receiver, make sure a higher epoch is used.",
      "EVENTHUBS_RECEIVER_DISCONNECTED",
      passes = false
    )
  )

  interruptions.foreach { interruption =>
    test(s"an open reader is detached: ${interruption.what}; the events before are delivered") {
      class Script extends ReadScript {
        override def onCredit(link: ReplayedLink, credit: Long, connection: ReplayConnection): Unit = {
          deliver(link, ServiceFrames.event(0, "a".getBytes), connection)
          connection.send(link.channel, ServiceFrames.detach(link.handle, interruption.condition, interruption.text))
        }
      }
      reading(new Script) { client =>
        val queue = open(client, 5)
        assert(take(queue, 1) == Seq(0L -> "a"))
        assertEnds(queue, interruption)
      }
    }
  }
}

private object ServiceRefusalSuite {

  /**
   * How the service ends a link.
   *
   * @param expected the connector's condition
   * @param passes   whether another attempt may succeed
   */
  final case class Refusal(what: String, condition: String, text: String, expected: String, passes: Boolean)
}
