package org.apache.spark.eventhubs

import org.scalatest.funsuite.AnyFunSuite

class EventHubsUtilsSuite extends AnyFunSuite {

  test("encrypt and decrypt return a plain connection string unchanged") {
    val connectionString = "Endpoint=sb://contoso.servicebus.windows.net/;EntityPath=telemetry"
    assert(EventHubsUtils.encrypt(connectionString) == connectionString)
    assert(EventHubsUtils.decrypt(connectionString) == connectionString)
  }
}
