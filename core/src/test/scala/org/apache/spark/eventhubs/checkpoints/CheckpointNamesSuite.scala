package org.apache.spark.eventhubs.checkpoints

import org.apache.spark.eventhubs.EventHubName
import testkit.TestSuite

class CheckpointNamesSuite extends TestSuite {

  private val hub = EventHubName("contoso.servicebus.windows.net", "Orders")
  private val ofHub =
    Seq("contoso.servicebus.windows.net/Orders/$Default/", "contoso.servicebus.windows.net/orders/$default/")

  test("blobs with JSON may name the hub, or not") {
    assert(new CheckpointNames(hub, "$Default").jsonPrefixes == ofHub ++ Seq("$Default/", "$default/"))
  }

  test("blobs that name no hub are not taken for those of each hub of a list") {
    assert(new CheckpointNames(hub, "$Default", isOnlyHub = false).jsonPrefixes == ofHub)
  }
}
