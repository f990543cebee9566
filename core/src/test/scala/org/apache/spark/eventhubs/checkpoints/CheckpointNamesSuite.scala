package org.apache.spark.eventhubs.checkpoints

import org.apache.spark.eventhubs.EventHubName
import testkit.TestSuite

class CheckpointNamesSuite extends TestSuite {

  private val hub = EventHubName("contoso.servicebus.windows.net", "Orders")
  private val ofHub =
    Seq("contoso.servicebus.windows.net/Orders/$Default/", "contoso.servicebus.windows.net/orders/$default/")

  test("blobs with JSON may name the hub, or not; both are looked for as written and in lower case") {
    val names = new CheckpointNames(hub, "$Default")
    assert(names.jsonPrefixes == ofHub && names.namelessPrefixes == Seq("$Default/", "$default/"))
  }
}
