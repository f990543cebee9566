package org.apache.spark.eventhubs

import java.net.URI
import java.time.Duration

import testkit.TestSuite

/** The legacy connector's own test cases, with its output for the same calls. */
class ConnectionStringBuilderSuite extends TestSuite {

  private val key = "c2VjcmV0LWtleQ=="
  private val valid =
    s"Endpoint=sb://contoso.servicebus.windows.net/;EntityPath=telemetry;SharedAccessKeyName=reader;SharedAccessKey=$key;OperationTimeout=PT5S"

  private def assertFields(builder: ConnectionStringBuilder): Unit = {
    assert(builder.getEndpoint.getHost == "contoso.servicebus.windows.net")
    assert(builder.getEventHubName == "telemetry")
    assert(builder.getSasKeyName == "reader")
    assert(builder.getSasKey == key)
    assert(builder.getOperationTimeout == Duration.ofSeconds(5))
  }

  test("a text that is not a connection string is rejected") {
    assert(intercept[EventHubsException](ConnectionStringBuilder("something")).getCondition ==
      "EVENTHUBS_INVALID_CONNECTION_STRING")
  }

  test("an unknown part in a valid string is rejected") {
    assert(intercept[EventHubsException](ConnectionStringBuilder(valid + ";something")).getCondition ==
      "EVENTHUBS_INVALID_CONNECTION_STRING")
  }

  test("a valid string is parsed") {
    assertFields(ConnectionStringBuilder(valid))
    assertFields(new ConnectionStringBuilder(valid))
  }

  test("a string without a key has only endpoint and hub") {
    val builder = ConnectionStringBuilder("Endpoint=sb://contoso.servicebus.windows.net;EntityPath=telemetry")
    assert(builder.getEndpoint == new URI("sb://contoso.servicebus.windows.net"))
    assert(builder.getEventHubName == "telemetry")
    assert(intercept[EventHubsException](builder.getSasKey).getMessage.contains("has no SharedAccessKey"))
  }

  test("setAadAuthConnectionString keeps only endpoint and hub") {
    val built = ConnectionStringBuilder(valid)
      .setAadAuthConnectionString(new URI("sb://contoso.servicebus.windows.net"), "telemetry")
      .build
    assert(built == "Endpoint=sb://contoso.servicebus.windows.net;EntityPath=telemetry")
  }

  test("getters return the values of the setters after a round trip through the string") {
    val set = ConnectionStringBuilder()
      .setNamespaceName("contoso")
      .setEventHubName("telemetry")
      .setSasKeyName("reader")
      .setSasKey(key)
      .setOperationTimeout(Duration.ofSeconds(5))
    assertFields(set)
    assertFields(ConnectionStringBuilder(set.build))
    assert(set.setOperationTimeout(Duration.ofSeconds(8)).getOperationTimeout == Duration.ofSeconds(8))
  }

  test("a setter changes the builder, for code that ignores the result") {
    val builder = ConnectionStringBuilder(valid)
    builder.setEventHubName("alerts")
    assert(builder.getEventHubName == "alerts")
  }

  test("strings are built as the legacy connector builds them") {
    assert(ConnectionStringBuilder().setNamespaceName("ns").setEventHubName("h").build ==
      "Endpoint=sb://ns.servicebus.windows.net;EntityPath=h")
    assert(ConnectionStringBuilder().setEndpoint("ns", "servicebus.chinacloudapi.cn").setEventHubName("h")
      .setOperationTimeout(Duration.ofSeconds(8)).build ==
      "Endpoint=sb://ns.servicebus.chinacloudapi.cn;EntityPath=h;OperationTimeout=PT8S")
    assert(ConnectionStringBuilder(valid).build == valid)
  }

  test("build rejects a string that no client can connect with") {
    val error =
      intercept[EventHubsException](ConnectionStringBuilder().setNamespaceName("ns").setSasKeyName("reader").build)
    assert(error.getMessage.contains("has a SharedAccessKeyName but no SharedAccessKey"))
  }

  test("the default operation timeout is the connector's") {
    assert(ConnectionStringBuilder("Endpoint=sb://a.b").getOperationTimeout == Duration.ofSeconds(60))
  }

  test("toString shows no secrets") {
    assert(!ConnectionStringBuilder(valid).toString.contains(key))
  }
}
