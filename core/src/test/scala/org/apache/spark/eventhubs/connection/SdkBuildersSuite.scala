package org.apache.spark.eventhubs.connection

import org.apache.spark.eventhubs.TestSettings
import testkit.TestSuite

class SdkBuildersSuite extends TestSuite {

  test("plain AMQP ignores a proxy that the environment names") {
    HttpProxyVariable.set("proxy:3128")(new AzureEventHubsClient(TestSettings.stream().connection).close())
  }
}
