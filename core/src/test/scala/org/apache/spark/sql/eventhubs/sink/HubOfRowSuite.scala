package org.apache.spark.sql.eventhubs.sink

import scala.collection.mutable

import org.apache.spark.eventhubs.{EventHubName, EventHubsException}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String
import testkit.TestSuite

class HubOfRowSuite extends TestSuite {

  private val ofRows = EventHubName("ns.example", EventHubName.OfRows)
  private val none = Option.empty[String].orNull

  private def row(name: String) = InternalRow(UTF8String.fromString(name))

  private def refusal(name: String): String = {
    val refused = intercept[EventHubsException](new HubOfRow(0, ofRows, (hub: EventHubName) => hub)(row(name)))
    assert(refused.getCondition == "EVENTHUBS_INVALID_EVENT")
    refused.getMessage
  }

  test("each hub is opened once, however its name is spelt, and in the namespace of the options") {
    val opened = mutable.Buffer.empty[EventHubName]
    val hubs = new HubOfRow(0, ofRows, (hub: EventHubName) => { opened += hub; hub.name })
    val found = Seq("orders", "alerts", "orders", "ORDERS", "Alerts", "alerts").map(name => hubs(row(name)))
    assert(found == Seq("orders", "alerts", "orders", "orders", "alerts", "alerts"))
    assert(opened == Seq(EventHubName("ns.example", "orders"), EventHubName("ns.example", "alerts")))
  }

  test("a row may be overwritten by the next one") {
    val bytes = "orders".getBytes
    val row = InternalRow(UTF8String.fromBytes(bytes))
    val hubs = new HubOfRow(0, ofRows, (hub: EventHubName) => hub.name)
    assert(hubs(row) == "orders")
    "alerts".getBytes.copyToArray(bytes)
    assert(hubs(row) == "alerts")
  }

  test("a row without a hub is refused, with its column") {
    Seq(none, "", " ").foreach(name => assert(refusal(name).contains("Its column 'eventHub' is null or empty")))
  }

  test("a name that no hub can have becomes no part of an address") {
    Seq("a/b", "$cbs", "orders/ConsumerGroups/x", "a b", "a?b", "-a", "x" * 257).foreach { name =>
      assert(refusal(name).contains(s"Its column 'eventHub' is '${name.take(60)}', which is no name of an event hub"))
    }
  }

  test("without a hub by row the column is not used, whatever its type") {
    val schema = StructType.fromDDL("body STRING, eventHub INT")
    assert(EventHubsWriteColumns.bind(schema).eventHub.isEmpty)
    assert(EventHubsWriteColumns.bind(schema).unused == Seq("eventHub"))
    val refused = intercept[EventHubsException](EventHubsWriteColumns.bind(schema, hubByRow = true))
    assert(refused.getMessage.contains("eventHub attribute type must be a String"))
  }

  test("equal events of two hubs have different fingerprints, and those of the only hub stay as they are") {
    val of = Fingerprint(1, 2)
    val (orders, alerts) =
      (Fingerprint.hub(EventHubName("ns", "orders")), Fingerprint.hub(EventHubName("ns", "alerts")))
    assert(of.inHub(Fingerprint.OneHub) == of)
    assert(Set(of, of.inHub(orders), of.inHub(alerts)).size == 3)
    assert(orders == Fingerprint.hub(EventHubName("ns", "ORDERS")) && orders != Fingerprint.OneHub)
  }
}
