package localhub.http

import java.time.Duration
import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}

import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpException}
import com.azure.messaging.eventhubs.EventHubClientBuilder
import com.azure.messaging.eventhubs.models.EventPosition
import org.scalatest.{BeforeAndAfterAll, BeforeAndAfterEach}

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import localhub.{HubConfig, LocalHub, LocalHubConfig}
import testkit.TestSuite

class FaultRoutesSuite extends TestSuite with BeforeAndAfterAll with BeforeAndAfterEach {

  private lazy val hub = LocalHub.start(LocalHubConfig(hubs = Seq(HubConfig("telemetry", 1))))
  private val client = new TestClient(hub.httpPort)
  import client._

  override def afterEach(): Unit = hub.faults.clear()
  override def afterAll(): Unit = hub.close()

  private def inject(fault: String): ujson.Value = {
    val response = call("POST", "/faults", fault)
    assert(response.statusCode == 201, response.body)
    ujson.read(response.body)
  }

  private def refused(fault: String): String = {
    val response = call("POST", "/faults", fault)
    assert(response.statusCode == 400)
    error(response)
  }

  test("every field of a fault is parsed") {
    inject(
      """{"action": "delay", "time": "500ms", "on": "stored", "hub": "telemetry", "partition": "0", "probability": 0.5,
             | "skip": 2, "count": 3, "duration": "1m", "seed": 7}""".stripMargin
    )
    val expected = Fault(
      FaultAction.Delay(Duration.ofMillis(500)),
      Occasion.Stored,
      FaultScope(Some("telemetry"), None, Some("0")),
      0.5,
      2,
      Some(3),
      Some(Duration.ofMinutes(1))
    )
    assert(hub.faults.active.map(_.fault) == Seq(expected))
    val shown = json("/faults")("faults")(0)
    assert(shown("action").str == "delay" && shown("time").str == "PT0.5S" && shown("on").str == "stored" && shown(
      "hits"
    ).num == 0)
  }

  test("every action has a default occasion") {
    val expected = Seq(
      "drop" -> "now",
      "detach" -> "now",
      "throttle" -> "send",
      "delay" -> "receive",
      "stall" -> "receive",
      "hide" -> "receive",
      "refuse-token" -> "put-token",
      "expire-tokens" -> "now",
      "steal" -> "now",
      "expire-events" -> "now",
      "recreate" -> "now",
      "lag" -> "manage",
      "fewer-partitions" -> "manage-hub",
      "older-epoch" -> "manage",
      "lose-answer" -> "manage",
      "older-first" -> "start"
    )
    expected.foreach { case (action, occasion) =>
      val time = action match {
        case "delay" => """, "time": "1s" """
        case "lag" | "older-first" => """, "events": 3"""
        case "fewer-partitions" => """, "partitions": 1"""
        case _ => ""
      }
      val injected = inject(s"""{"action": "$action"$time, "hub": "no-such-hub"}""")
      assert(injected("action").str == action && injected("on").str == occasion)
    }
  }

  test("faults are cancelled one by one, or all") {
    val first = inject("""{"action": "stall"}""")("id").num.toInt
    inject("""{"action": "throttle"}""")
    assert(call("DELETE", s"/faults/$first").statusCode == 204 && call("DELETE", s"/faults/$first").statusCode == 404)
    assert(json("/faults")("faults").arr.map(_("action").str).toSeq == Seq("throttle"))
    assert(call("DELETE", "/faults").statusCode == 204 && json("/faults")("faults").arr.isEmpty)
  }

  test("an invalid fault is refused, and the error says what is wrong") {
    assert(refused("{").contains("not JSON"))
    assert(refused("{}").contains("'action' is missing"))
    assert(refused("""{"action": "explode"}""").contains("'explode'"))
    assert(refused("""{"action": "drop", "when": "now"}""").contains("'when' is not a field"))
    assert(refused("""{"action": "drop", "on": "sunday"}""").contains("'sunday'"))
    assert(refused("""{"action": "throttle", "on": "receive"}""").contains("cannot happen"))
    assert(refused("""{"action": "drop", "probability": 2}""").contains("probability is 2"))
    assert(refused("""{"action": "drop", "count": 1.5}""").contains("count is 1.5"))
    assert(refused("""{"action": "delay"}""").contains("needs a 'time'"))
    assert(refused("""{"action": "lag"}""").contains("needs a number of 'events'"))
    assert(refused("""{"action": "drop", "events": 1}""").contains("'events' belongs to the actions"))
    assert(refused("""{"action": "drop", "on": "manage"}""").contains("cannot happen"))
    assert(refused("""{"action": "drop", "time": "1s"}""").contains("belongs to the action delay"))
    assert(refused("""{"action": "stall", "duration": "long"}""").contains("duration is 'long'"))
    assert(refused("""{"action": "drop", "hub": 1}""").contains("hub is 1"))
  }

  test("a reader of the official SDK is detached with the given condition") {
    val consumer =
      new EventHubClientBuilder().connectionString(hub.connectionString("telemetry")).consumerGroup("$Default")
        .buildAsyncConsumerClient()
    val failures = new LinkedBlockingQueue[Throwable]
    inject(
      """{"action": "detach", "on": "receive", "condition": "com.microsoft:server-busy", "description": "Told to.", "count": 1}"""
    )
    val receiving = consumer.receiveFromPartition("0", EventPosition.earliest())
      .subscribe((_: Any) => (), (failure: Throwable) => { failures.add(failure); () })
    try {
      call("POST", "/hubs/telemetry/events", """{"body": "x"}""")
      val failure = failures.poll(30, TimeUnit.SECONDS).asInstanceOf[AmqpException]
      assert(
        failure.getErrorCondition == AmqpErrorCondition.SERVER_BUSY_ERROR && failure.getMessage.contains("Told to.")
      )
    } finally {
      receiving.dispose()
      consumer.close()
    }
  }
}
