package org.apache.spark.eventhubs.connection

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.eventhubs.TestSettings

class SdkBuildersSuite extends AnyFunSuite {

  test("plain AMQP ignores a proxy that the environment names") {
    HttpProxyVariable.set("proxy:3128")(new AzureEventHubsClient(TestSettings.stream().connection).close())
  }
}
