package org.apache.spark.eventhubs.connection

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.eventhubs.TestSettings

class SdkBuildersSuite extends AnyFunSuite {

  test("plain AMQP goes past a proxy that the environment names, instead of being refused by the SDK") {
    HttpProxyVariable.set("proxy:3128")(new AzureEventHubsClient(TestSettings.stream().connection).close())
  }
}
