package org.apache.spark.eventhubs.connection.replay

import java.util.concurrent.atomic.AtomicInteger

import org.apache.qpid.proton.message.Message

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.connection.AzureEventHubsClient
import org.apache.spark.eventhubs.connection.replay.AmqpHex.Null
import testkit.TestSuite

/** The connector reads what the service's `\$cbs` and `\$management` answer when they refuse a request. */
class ServiceNodeRefusalSuite extends TestSuite with ServiceReplayFixture {
  import ServiceNodeRefusalSuite._

  private def failure(script: => ReplayScript)(ask: AzureEventHubsClient => Any): EventHubsException =
    reading(script)(client => intercept[EventHubsException](ask(client)))

  private val refusals = Seq(
    Refusal(
      "an expired token",
      401,
      Some("com.microsoft:auth-failed"),
      "ExpiredToken: The token is expired. Expiration time: '2023-05-21 23:58:30Z'",
      "EVENTHUBS_AUTHENTICATION"
    ),
    Refusal(
      "an unknown hub",
      404,
      Some("amqp:not-found"),
      "The messaging entity 'sb://ns/telemetry' could not be found.",
      "EVENTHUBS_NOT_FOUND"
    )
  )

  refusals.foreach { refusal =>
    test(s"$$cbs refuses a token with ${refusal.status}: ${refusal.what}") {
      class Script extends ReadScript {
        override def putToken() = refusal.answer
      }
      // A question has its token with it. A link asks the node.
      reading(new Script) { client =>
        val (failed, passes) = failureOf(open(client, 5))
        assert(failed.getCondition == refusal.expected && failed.getMessage.contains(refusal.text) && !passes)
      }
    }

    test(s"$$management refuses a question with ${refusal.status}: ${refusal.what}") {
      class Script extends ReadScript {
        override def properties(request: Message) = refusal.answer
      }
      val failed = failure(new Script)(_.hubProperties())
      assert(failed.getCondition == refusal.expected && failed.getMessage.contains(refusal.text))
    }
  }

  test("$management refuses a question with 400: an unknown partition") {
    val text = "The specified partition is invalid for an EventHub partition sender or receiver. It should be " +
      "between 0 and 1.\nParameter name: PartitionId"
    val refusal = Refusal("", 400, Some("com.microsoft:argument-out-of-range"), text, "EVENTHUBS_NOT_FOUND")
    class Script extends ReadScript {
      override def properties(request: Message) = refusal.answer
    }
    val failed = failure(new Script)(_.partitionBounds(Seq(9)))
    assert(failed.getCondition == refusal.expected && failed.getMessage.contains("It should be between 0 and 1"))
  }

  // A refusal of the node need not have a condition, and the SDK does not know the status 429.
  Seq(
    429 -> "Too many requests.",
    503 -> "The request was terminated because the entity is being throttled. Error code : 50002.",
    500 -> "The service was unable to process the request; please retry the operation."
  ).foreach { case (status, text) =>
    test(s"a question that $$management refuses with $status is asked again") {
      val asked = new AtomicInteger
      class Script extends ReadScript {
        override def properties(request: Message) =
          if (asked.incrementAndGet() == 1) (ServiceFrames.refusal(status, text, None), Null)
          else super.properties(request)
      }
      reading(new Script)(client => assert(client.hubProperties().name == hub))
      assert(asked.get == 2)
    }
  }

  test("a token that $cbs refuses with 500 is put again, and the reader gets its event") {
    val asked = new AtomicInteger
    class Script extends ReadScript {
      override def putToken() =
        if (asked.incrementAndGet() == 1)
          (ServiceFrames.refusal(500, "The service was unable to process the request.", None), Null)
        else super.putToken()
      override def onCredit(link: ReplayedLink, credit: Long, connection: ReplayConnection): Unit =
        deliver(link, ServiceFrames.event(0, "a".getBytes), connection)
    }
    reading(new Script)(client => assert(take(open(client, 5), 1) == Seq(0L -> "a")))
    assert(asked.get == 2)
  }
}

private object ServiceNodeRefusalSuite {

  /** @param expected the connector's condition */
  final case class Refusal(what: String, status: Int, condition: Option[String], text: String, expected: String) {
    def answer: (Seq[(String, String)], String) = (ServiceFrames.refusal(status, text, condition), Null)
  }
}
