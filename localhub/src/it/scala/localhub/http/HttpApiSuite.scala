package localhub.http

import java.time.Clock

import org.scalatest.BeforeAndAfterEach

import localhub.namespace.Namespace
import testkit.TestSuite

/** The HTTP API over a socket. */
class HttpApiSuite extends TestSuite with BeforeAndAfterEach {

  private var namespace: Namespace = _
  private var api: HttpApi = _
  private var problem = Option.empty[String]
  private val client = new TestClient(api.port)
  import client._

  override def beforeEach(): Unit = {
    namespace = Namespace.inMemory(Clock.systemUTC())
    api = new HttpApi("127.0.0.1", 0, Seq(new HealthRoutes(() => problem), new HubRoutes(namespace)))
  }

  override def afterEach(): Unit = api.close()

  test("health answers as the official emulator does") {
    val response = call("GET", "/health")
    assert(response.statusCode == 200)
    assert(ujson.read(response.body) == ujson.Obj("status" -> "healthy", "message" -> "Service is healthy."))
  }

  test("health is 503 with the reason when nothing can be stored") {
    problem = Some("The disk is full.")
    val response = call("GET", "/health")
    problem = None
    assert(response.statusCode == 503)
    assert(ujson.read(response.body) == ujson.Obj("status" -> "unhealthy", "message" -> "The disk is full."))
  }

  test("a failure of the hub is answered without Java's words") {
    problem = null
    val response = call("GET", "/health")
    problem = None
    assert(response.statusCode == 500 && !response.body.contains("java"), response.body)
  }

  test("a hub is created once: 201, then 200") {
    assert(call("PUT", "/hubs/telemetry?partitions=4&consumerGroups=a,b").statusCode == 201)
    assert(call("PUT", "/hubs/telemetry?partitions=4&consumerGroups=a,b").statusCode == 200)
    assert(namespace.find("telemetry").map(_.consumerGroups).contains(Seq("$Default", "a", "b")))
  }

  test("a larger number of partitions grows a hub, a smaller one is refused with 409") {
    call("PUT", "/hubs/telemetry?partitions=2")
    assert(call("PUT", "/hubs/telemetry?partitions=3").statusCode == 200)
    val smaller = call("PUT", "/hubs/telemetry?partitions=1")
    assert(smaller.statusCode == 409 && error(smaller).contains("has 3 partitions"))
    assert(namespace.find("telemetry").exists(_.partitions.size == 3))
  }

  test("a request for an existing hub needs no partition count, for a new one it does") {
    call("PUT", "/hubs/telemetry?partitions=2")
    assert(call("PUT", "/hubs/telemetry?consumerGroups=late").statusCode == 200)
    assert(namespace.find("telemetry").exists(_.hasConsumerGroup("late")))
    val missing = call("PUT", "/hubs/other")
    assert(missing.statusCode == 400 && error(missing).contains("partitions=N"))
  }

  test("invalid names and numbers are refused with 400 and the rule") {
    assert(error(call("PUT", "/hubs/a%20b?partitions=1")).contains("'a b' cannot be the name of an event hub"))
    assert(error(call("PUT", "/hubs/a?partitions=1025")).contains("1 to 1024"))
    assert(error(call("PUT", "/hubs/a?partitions=many")).contains("partitions is 'many'"))
    assert(error(call("PUT", "/hubs/a?partition=1")).contains("'partition' is not a parameter"))
    assert(error(call(
      "PUT",
      "/hubs/a?partitions=1&consumerGroups=-x"
    )).contains("'-x' cannot be the name of a consumer group"))
    assert(call("PUT", "/hubs/a?partitions=0").statusCode == 400)
    assert(namespace.all.isEmpty)
  }

  test("the secondary region of a geo-replicated hub is promoted") {
    assert(call("PUT", "/hubs/telemetry?partitions=2&geoReplication=true").statusCode == 201)
    val hub = namespace.find("telemetry").get
    hub.partitions.foreach(_.append(5, (_, _) => new Array[Byte](10)))
    assert(call("POST", "/hubs/telemetry/promote?unreplicated=2&partition=1").statusCode == 200)
    assert(hub.partitions.map(_.bounds.lastSequenceNumber) == Seq(4, 2))
    assert(hub.partitions.map(log => log.epochAt(log.bounds.lastSequenceNumber + 1)) == Seq(Some(2), Some(2)))
    assert(call("POST", "/hubs/other/promote").statusCode == 404)
    call("PUT", "/hubs/plain?partitions=1")
    assert(error(call("POST", "/hubs/plain/promote")).contains("not geo-replicated"))
  }

  test("geo-replication is true or false, and that of an existing hub cannot be changed") {
    Seq("yes", "", "True").foreach { value =>
      val refused = call("PUT", s"/hubs/telemetry?partitions=1&geoReplication=$value")
      assert(refused.statusCode == 400 && error(refused).contains(s"geoReplication is '$value'"))
    }
    Seq("plain" -> false, "replicated" -> true).foreach { case (name, value) =>
      assert(call("PUT", s"/hubs/$name?partitions=1&geoReplication=$value").statusCode == 201)
      val other = call("PUT", s"/hubs/$name?geoReplication=${!value}&partitions=2")
      assert(other.statusCode == 409 && error(other).contains("cannot be changed"))
      assert(namespace.find(name).exists(_.partitions.size == 1))
      assert(call("PUT", s"/hubs/$name?geoReplication=$value").statusCode == 200)
      assert(call("PUT", s"/hubs/$name?consumerGroups=a").statusCode == 200)
      assert(namespace.find(name).exists(_.config.geoReplication == value))
    }
  }

  test("a hub is deleted once: 204, then 404") {
    call("PUT", "/hubs/telemetry?partitions=1")
    assert(call("DELETE", "/hubs/telemetry").statusCode == 204)
    val again = call("DELETE", "/hubs/telemetry")
    assert(again.statusCode == 404 && error(again).contains("'telemetry'"))
    assert(call("GET", "/hubs/telemetry").statusCode == 404)
  }

  test("a hub is shown with the state of its partitions") {
    val hub = namespace.create("telemetry", 2).get
    hub.partitions(1).append(3, (_, _) => new Array[Byte](100))
    val shown = ujson.read(call("GET", "/hubs/telemetry").body)
    assert(shown("partitionCount").num == 2)
    val empty = shown("partitions")(0)
    val filled = shown("partitions")(1)
    assert(empty("events").num == 0 && empty("lastEnqueuedTime").isNull)
    assert(filled("id").str == "1" && filled("beginSequenceNumber").num == 0 && filled("lastSequenceNumber").num == 2)
    assert(filled("events").num == 3 && filled("bytes").num == 300)
  }

  test("the list has all hubs, sorted by name") {
    Seq("b", "a", "c").foreach(namespace.create(_, 1))
    assert(ujson.read(call("GET", "/hubs").body)("hubs").arr.map(_("name").str).toSeq == Seq("a", "b", "c"))
  }

  test("retention and throughput units are set and shown") {
    call("PUT", "/hubs/telemetry?partitions=1&retention=1h&throughputUnits=2")
    val changed = ujson.read(call("PUT", "/hubs/telemetry?retentionBytes=64MB").body)
    assert(changed("retention").str == "PT1H" && changed("retentionBytes").num == (64 << 20) && changed(
      "throughputUnits"
    ).num == 2)
    assert(error(call("PUT", "/hubs/telemetry?retention=long")).contains("retention is 'long'"))
    assert(error(call("PUT", "/hubs/telemetry?retention=999999999999d")).contains("leave the limit out"))
    assert(error(call("PUT", "/hubs/telemetry?throughputUnits=99")).contains("1 to 40"))
  }

  test("'none' removes a limit; a limit that is not given is unchanged") {
    call("PUT", "/hubs/telemetry?partitions=1&retention=1h&retentionBytes=64MB&throughputUnits=2")
    val without = ujson.read(call("PUT", "/hubs/telemetry?retention=none&throughputUnits=none").body)
    assert(without.obj.get("retention").forall(_.isNull) && without.obj.get("throughputUnits").forall(_.isNull))
    assert(without("retentionBytes").num == (64 << 20))
    val all = namespace.find("telemetry").map(_.config).get
    assert(all.retention.time.isEmpty && all.throughputUnits.isEmpty)
  }

  test("requests expire events and recreate hubs") {
    val hub = namespace.create("telemetry", 2).get
    hub.partitions(1).append(3, (_, _) => new Array[Byte](100))
    assert(call("POST", "/hubs/telemetry/partitions/1/expire?before=2").statusCode == 200)
    assert(hub.partitions(1).bounds.beginSequenceNumber == 2)
    assert(error(call("POST", "/hubs/telemetry/partitions/7/expire?before=2")).contains("it has 0 to 1"))
    assert(error(call("POST", "/hubs/telemetry/partitions/1/expire?before=x")).contains("before is 'x'"))
    assert(call("POST", "/hubs/telemetry/partitions/1/expire").statusCode == 400)
    assert(call("POST", "/hubs/telemetry/recreate").statusCode == 201)
    assert(namespace.find("telemetry").exists(_.partitions(1).bounds.lastSequenceNumber == -1))
    assert(call("POST", "/hubs/other/recreate").statusCode == 404)
  }

  test("an unknown path is answered with 404, a wrong method with 405 and the allowed ones") {
    assert(call("GET", "/nothing").statusCode == 404)
    val wrong = call("POST", "/hubs/telemetry")
    assert(wrong.statusCode == 405 && wrong.headers.firstValue("Allow").get == "GET, PUT, DELETE")
  }

  test("HEAD is a GET without its body") {
    val response = call("HEAD", "/health")
    assert(response.statusCode == 200 && response.body.isEmpty)
  }
}
