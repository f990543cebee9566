package org.apache.spark.eventhubs.options

import org.apache.spark.eventhubs.{EventHubsConf, EventHubsException, EventPosition}
import testkit.TestSuite

/** Options that name several event hubs. */
class HubSelectionSuite extends TestSuite {

  private val namespace = "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=p;SharedAccessKey=a2V5"

  private def parse(name: String, more: (String, String)*): ReadSettings = ReadSettings.parse(
    Map("eventhubs.connectionString" -> namespace, "eventhubs.name" -> name) ++ more,
    ReadMode.Stream
  )

  private def refused(result: => Any): String = intercept[EventHubsException](result).getMessage

  test("a list in any order is one query, and each hub has the settings of its own") {
    val settings = parse(" returns, orders")
    assert(settings == parse("orders,returns"))
    assert(settings.connection.hub.name == "orders,returns")
    assert(settings.hubs == HubSelection.Listed(Seq("orders", "returns")))
    val alone = parse("orders")
    assert(settings.ofHub("orders") == alone, "the same connections as a query of this hub alone")
    assert(alone.hubs == HubSelection.Listed(Seq("orders")) && alone.ofHub("orders") == alone)
  }

  test("the checkpoint store of a hub knows whether the query reads others too") {
    val store = "eventhubs.checkpointStore.container" -> "https://contoso.blob.core.windows.net/box?sig=x"
    assert(parse("orders,returns", store).ofHub("orders").checkpointStore.exists(_.ofSeveralHubs))
    assert(parse("orders", store).ofHub("orders").checkpointStore.exists(!_.ofSeveralHubs))
  }

  test("a missing name and a hub that is named twice are refused") {
    for (wrong <- Seq("orders,", ",orders", "orders,,returns", "orders,ORDERS"))
      assert(refused(parse(wrong)).contains("names of event hubs, each once, with a comma between them"), wrong)
  }

  test("the connection string's event hub must be one of the list") {
    def of(entity: String) = ReadSettings.parse(
      Map("eventhubs.connectionString" -> s"$namespace;EntityPath=$entity", "eventhubs.name" -> "orders,returns"),
      ReadMode.Stream
    )
    assert(of("Returns").connection.hub.name == "orders,returns")
    assert(refused(of("alerts")).contains("EntityPath is 'alerts', which is not in the list"))
  }

  test("positions of single partitions must name their hub, and one of the list") {
    val named = """{"{\"ehName\":\"orders\",\"partitionId\":1}":5}"""
    val settings = parse("orders,returns", "eventhubs.startingPositions" -> named)
    assert(settings.ofHub("orders").startingPositions == Map(1 -> EventPosition.fromSequenceNumber(5)))
    assert(settings.ofHub("returns").startingPositions.isEmpty)
    assert(refused(parse(
      "orders,returns",
      "eventhubs.startingPositions" -> """{"1":5}"""
    )).contains("keys that name hub"))
    assert(refused(parse("a,b", "eventhubs.startingPositions" -> named)).contains("not of 'orders'"))
  }

  test("a write takes one hub") {
    val error = refused(WriteSettings.parse(Map("eventhubs.connectionString" -> namespace, "eventhubs.name" -> "a,b")))
    assert(error.contains("the name of one event hub"))
  }

  test("EventHubsConf accepts a list in place of the connection string's event hub") {
    val conf = EventHubsConf(s"$namespace;EntityPath=orders").setName("returns,orders")
    assert(conf.name == "orders,returns")
    assert(conf.setName("alerts").name == "alerts")
  }

  private def pattern(text: String, more: (String, String)*): ReadSettings = ReadSettings.parse(
    Map("eventhubs.connectionString" -> namespace, "eventhubs.namePattern" -> text) ++ more,
    ReadMode.Stream
  )

  test("a pattern matches whole names in any case, and each hub has the settings of its own") {
    val settings = pattern("orders-\\d{1,3}", "eventhubs.namePatternInterval" -> "5s")
    val selection = settings.hubs
    assert(Seq("orders-1", "Orders-123").forall(selection.includes))
    assert(!Seq("orders-1234", "my-orders-1", "orders").exists(selection.includes))
    assert(settings.connection.hub.name == "orders-\\d{1,3}")
    assert(settings.ofHub("orders-1") == parse("orders-1"), "the same connections as a query of this hub alone")
    assert(EventHubsConf.toConf(Map(
      "eventhubs.connectionString" -> namespace,
      "eventhubs.namePattern" -> "a.*"
    )).validate)
  }

  test("an interval for a pattern that is not set is refused") {
    val error = refused(parse("orders", "eventhubs.namePatternInterval" -> "5s"))
    assert(error.contains("eventhubs.namePattern") && error.contains("'eventhubs.namePatternInterval' is set"))
  }

  test("a pattern that is none, a name next to it, and another event hub in the connection string are refused") {
    assert(refused(pattern("orders-(")).contains("expected a regular expression for names of event hubs"))
    assert(refused(pattern("orders-.*", "eventhubs.name" -> "orders-1")).contains("Set only one of them."))
    val entity = s"$namespace;EntityPath=returns"
    assert(refused(pattern("orders-.*", "eventhubs.connectionString" -> entity)).contains("which does not match"))
    val matching = pattern("orders-.*", "eventhubs.connectionString" -> s"$namespace;EntityPath=orders-1")
    assert(matching.connection.hub.name == "orders-.*")
  }
}
