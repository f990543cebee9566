package org.apache.spark.eventhubs

import testkit.TestSuite

class EventHubsUtilsSuite extends TestSuite {

  test("encrypt and decrypt return a plain connection string unchanged") {
    val connectionString = "Endpoint=sb://contoso.servicebus.windows.net/;EntityPath=telemetry"
    assert(EventHubsUtils.encrypt(connectionString) == connectionString)
    assert(EventHubsUtils.decrypt(connectionString) == connectionString)
  }
}
