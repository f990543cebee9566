package localhub.http

import java.time.Instant

import com.azure.messaging.eventhubs.models.{EventPosition, SendOptions}
import com.azure.messaging.eventhubs.{EventData, EventHubClientBuilder}
import org.scalatest.BeforeAndAfterAll

import localhub.{HubConfig, LocalHub, LocalHubConfig}
import testkit.TestSuite

/** Events over HTTP, together with the official SDK on the same hub. */
class EventRoutesSuite extends TestSuite with BeforeAndAfterAll {

  private lazy val hub = LocalHub.start(LocalHubConfig(hubs = Seq(HubConfig("telemetry", 4), HubConfig("other", 2))))
  private val client = new TestClient(hub.httpPort)
  import client._

  override def afterAll(): Unit = hub.close()

  private def send(hubName: String, event: ujson.Obj): ujson.Value = {
    val response = call("POST", s"/hubs/$hubName/events", ujson.write(event))
    assert(response.statusCode == 201, response.body)
    ujson.read(response.body)
  }

  test("the official SDK receives an event that was sent over HTTP with all its fields") {
    val stored = send(
      "telemetry",
      ujson.Obj(
        "body" -> "hello",
        "partitionKey" -> "pk1",
        "contentType" -> "text/plain",
        "messageId" -> "m1",
        "properties" -> ujson.Obj("n" -> 1, "x" -> 1.5, "yes" -> true, "text" -> "t")
      )
    )
    assert(stored("partition").str == "1" && stored("sequenceNumber").num == 0)
    val consumer =
      new EventHubClientBuilder().connectionString(hub.connectionString("telemetry")).consumerGroup("$Default")
        .buildConsumerClient()
    try {
      val received = consumer.receiveFromPartition(
        "1",
        1,
        EventPosition.earliest(),
        java.time.Duration.ofSeconds(30)
      ).iterator.next().getData
      assert(received.getBodyAsString == "hello" && received.getPartitionKey == "pk1")
      assert(received.getContentType == "text/plain" && received.getMessageId == "m1")
      val properties = received.getProperties
      assert(properties.get("n") == 1L && properties.get("x") == 1.5 && properties.get("yes") == true && properties.get(
        "text"
      ) == "t")
    } finally consumer.close()
  }

  test("events are listed newest first, or forward from a sequence number, page by page") {
    (0 to 9).foreach(i => send("other", ujson.Obj("body" -> s"event $i", "partition" -> "0")))
    def bodies(page: ujson.Value) = page("events").arr.map(_("body").str.drop(6).toInt).toSeq
    val newest = json("/hubs/other/partitions/0/events?limit=4")
    assert(bodies(newest) == Seq(9, 8, 7, 6) && newest("next").num == 6)
    assert(bodies(json("/hubs/other/partitions/0/events?limit=4&before=6")) == Seq(5, 4, 3, 2))
    val forward = json("/hubs/other/partitions/0/events?from=7")
    assert(bodies(forward) == Seq(7, 8, 9) && forward("next").isNull)
    assert(bodies(json("/hubs/other/partitions/0/events?contains=EVENT%203")) == Seq(3))
    assert(json("/hubs/other/partitions/0/events/4")("body").str == "event 4")
    assert(call("GET", "/hubs/other/partitions/0/events/10").statusCode == 404)
  }

  test("the newest events of all partitions are listed together, newest first") {
    (0 to 3).foreach(i => send("telemetry", ujson.Obj("body" -> s"all $i", "partition" -> s"$i")))
    val events = json("/hubs/telemetry/events?contains=all&limit=10")("events").arr
    assert(events.map(_("body").str).toSet == Set("all 0", "all 1", "all 2", "all 3"))
    // Compared as times: as text, a full second has no fraction and sorts after times with a fraction.
    val times = events.map(event => Instant.parse(event("enqueuedTime").str)).toSeq
    assert(times == times.sorted.reverse)
  }

  test("events are listed from a time on, of one partition or of all, page by page") {
    hub.createHub("times", 2)
    (0 to 3).foreach(i => send("times", ujson.Obj("body" -> s"$i", "partition" -> s"${i % 2}")))
    // Events of one millisecond have no order in time, so the later ones start at a time of their own.
    val start = Instant.now().plusMillis(1)
    eventually(assert(Instant.now().isAfter(start)))
    (4 to 9).foreach(i => send("times", ujson.Obj("body" -> s"$i", "partition" -> s"${i % 2}")))
    def bodies(page: ujson.Value) = page("events").arr.map(_("body").str).toSeq
    assert(bodies(json(s"/hubs/times/partitions/1/events?fromTime=$start")) == Seq("5", "7", "9"))
    val first = json(s"/hubs/times/events?fromTime=$start&limit=4")
    val second = json(s"/hubs/times/events?fromTime=$start&cursor=${first("next").str}")
    assert((bodies(first) ++ bodies(second)).sorted == Seq("4", "5", "6", "7", "8", "9") && bodies(first).size == 4)
    assert(second("next").isNull)
    assert(error(call("GET", "/hubs/times/events?fromTime=noon")).contains("fromTime is 'noon'; expected a time"))
    assert(error(call("GET", "/hubs/times/events?cursor=7:1")).contains("cursor is '7:1'"))
    assert(error(call("GET", s"/hubs/times/partitions/0/events?from=1&fromTime=$start")).contains("not more than one"))
  }

  test("a binary event is found by its bytes in hex") {
    hub.createHub("binary", 1)
    send("binary", ujson.Obj("bodyBase64" -> "3q2+7/8="))
    assert(json("/hubs/binary/partitions/0/events?contains=DE%20AD%20BE")("events").arr.size == 1)
    assert(json("/hubs/binary/partitions/0/events?contains=AD%20DE")("events").arr.isEmpty)
  }

  test("a resent event has the same body, key, properties and AMQP types") {
    val producer = new EventHubClientBuilder().connectionString(hub.connectionString("telemetry")).buildProducerClient()
    val event = new EventData(Array[Byte](0, -1, 7))
    event.setMessageId("m7")
    event.getProperties.put("small", java.lang.Byte.valueOf(3.toByte))
    try producer.send(java.util.List.of(event), new SendOptions().setPartitionKey("resent"))
    finally producer.close()
    val Seq(original) = json("/hubs/telemetry/events?contains=resent")("events").arr.toSeq: @unchecked
    val place = s"/hubs/telemetry/partitions/${original("partition").str}/events"
    val response = call("POST", s"$place/${original("sequenceNumber").num.toLong}/resend")
    assert(response.statusCode == 201, response.body)
    val Seq(copy, first) = json("/hubs/telemetry/events?contains=resent")("events").arr.toSeq: @unchecked
    def content(of: ujson.Value) =
      Seq("partition", "partitionKey", "body", "bodyKind", "properties", "systemProperties").map(of(_))
    assert(first("sequenceNumber") == original("sequenceNumber") && content(copy) == content(original))
    val log = hub.namespace.find("telemetry").flatMap(_.partition(original("partition").str)).get
    def message(of: ujson.Value) = {
      val decoded = org.apache.qpid.proton.message.Message.Factory.create()
      val bytes = log.read(of("sequenceNumber").num.toLong).get.payload
      decoded.decode(bytes, 0, bytes.length)
      decoded
    }
    assert(message(copy).getApplicationProperties.getValue.get("small") == java.lang.Byte.valueOf(3.toByte))
    assert(call("POST", s"$place/999/resend").statusCode == 404)
  }

  test("the newest event is found among many empty partitions") {
    hub.createHub("wide", 100)
    send("wide", ujson.Obj("body" -> "here", "partition" -> "77"))
    assert(json("/hubs/wide/events?limit=2")("events").arr.map(_("body").str).toSeq == Seq("here"))
  }

  test("an invalid event is refused, and the error says what is wrong") {
    def refused(body: String): String = {
      val response = call("POST", "/hubs/telemetry/events", body)
      assert(response.statusCode == 400)
      error(response)
    }
    assert(refused("{").contains("not JSON"))
    assert(refused("[1]").contains("JSON object"))
    assert(refused("{}").contains("'body'"))
    assert(refused("""{"body": "a", "key": "b"}""").contains("'key' is not a field"))
    assert(refused("""{"body": 1}""").contains("'body' is 1"))
    assert(refused("""{"bodyBase64": "*"}""").contains("not Base64"))
    assert(refused("""{"body": "a", "partition": "0", "partitionKey": "b"}""").contains("not both"))
    assert(refused("""{"body": "a", "properties": {"x": []}}""").contains("'x'"))
    assert(call("POST", "/hubs/telemetry/events", """{"body": "a", "partition": "9"}""").statusCode == 404)
    assert(call("POST", "/hubs/nothing/events", """{"body": "a"}""").statusCode == 404)
  }

  test("a list of events is stored in order, and a list with a wrong event stores nothing") {
    hub.createHub("lists", 1)
    val events = ujson.Arr.from((0 to 2).map(i => ujson.Obj("body" -> s"event $i")))
    val stored = ujson.read(call("POST", "/hubs/lists/events", ujson.write(events)).body)("events").arr
    assert(stored.map(_("sequenceNumber").num).toSeq == Seq(0, 1, 2))
    val unknownPartition = ujson.Arr(ujson.Obj("body" -> "a"), ujson.Obj("body" -> "b", "partition" -> "7"))
    assert(call("POST", "/hubs/lists/events", ujson.write(unknownPartition)).statusCode == 404)
    assert(call("POST", "/hubs/lists/events", """[{"body": "a"}, {"body": 1}]""").statusCode == 400)
    val kept = json("/hubs/lists/partitions/0/events?from=0")("events").arr.map(_("body").str).toSeq
    assert(kept == Seq("event 0", "event 1", "event 2"))
  }

  test("an event over 1 MB is refused with its size") {
    val response = call("POST", "/hubs/telemetry/events", ujson.write(ujson.Obj("body" -> "x" * 1048576)))
    assert(response.statusCode == 413 && error(response).contains("1048576"))
  }

  test("wrong addresses and parameters are refused") {
    assert(call("GET", "/hubs/telemetry/partitions/9/events").statusCode == 404)
    assert(error(call("GET", "/hubs/telemetry/partitions/0/events?limit=0")).contains("1 to 1000"))
    assert(error(call("GET", "/hubs/telemetry/partitions/0/events?from=1&before=2")).contains("not more than one"))
    assert(error(call("GET", "/hubs/telemetry/partitions/0/events?form=1")).contains("'form'"))
  }

  test("readers are listed with their lag and counted in the metrics") {
    val consumer = new EventHubClientBuilder().connectionString(hub.connectionString("other")).consumerGroup("$Default")
      .buildAsyncConsumerClient()
    val receiving = consumer.receiveFromPartition("1", EventPosition.earliest()).subscribe()
    try {
      send("other", ujson.Obj("body" -> "x", "partition" -> "1"))
      eventually {
        val reader = json("/readers?hub=other")("readers").arr.head
        assert(reader("partition").str == "1" && reader("consumerGroup").str.equalsIgnoreCase("$default"))
        assert(reader("nextSequenceNumber").num == 1 && reader("lag").num == 0)
      }
      val metrics = call("GET", "/metrics").body
      assert("""localhub_readers\{hub="other",consumer_group="\$[Dd]efault",partition="1"\} 1""".r.findFirstIn(
        metrics
      ).isDefined)
      assert(metrics.contains("""localhub_partition_appended_events_total{hub="other",partition="0"} 10"""))
      assert("localhub_amqp_events_out_total [1-9]".r.findFirstIn(metrics).isDefined)
    } finally {
      receiving.dispose()
      consumer.close()
    }
  }

  test("the namespace has the connection string") {
    assert(json("/namespace")("connectionString").str == hub.connectionString)
  }

  test("requests of other sites' pages and with foreign host names are refused, those of the hub's page are not") {
    def status(headers: (String, String)*) = call("PUT", "/hubs/telemetry?partitions=4", headers = headers).statusCode
    assert(status("Origin" -> "http://evil.example") == 403)
    assert(status("Origin" -> "null") == 403)
    assert(status("Origin" -> s"http://127.0.0.1:${hub.httpPort}") == 200)
  }
}
