package org.apache.spark.eventhubs

import org.scalatest.funsuite.AnyFunSuite

class EventHubsUtilsSuite extends AnyFunSuite {

  test("encrypting, which the legacy demanded, changes nothing") {
    val connectionString = "Endpoint=sb://contoso.servicebus.windows.net/;EntityPath=telemetry"
    assert(EventHubsUtils.encrypt(connectionString) == connectionString)
    assert(EventHubsUtils.decrypt(connectionString) == connectionString)
  }
}
