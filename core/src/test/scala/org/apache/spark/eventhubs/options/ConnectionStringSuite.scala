package org.apache.spark.eventhubs.options

import java.time.Duration

import org.apache.spark.eventhubs.{Credential, EventHubsException, Secret}
import testkit.TestSuite

class ConnectionStringSuite extends TestSuite {

  private val key = "c2VjcmV0LWtleQ=="
  private val parsed = ConnectionString(
    host = "contoso.servicebus.windows.net",
    port = None,
    entityPath = Some("telemetry"),
    credential = Some(Credential.SharedKey("reader", Secret(key))),
    operationTimeout = None,
    transport = None,
    developmentEmulator = false
  )

  Seq(
    "as the portal shows it" ->
      s"Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=reader;SharedAccessKey=$key;EntityPath=telemetry",
    "with the hub before the key" ->
      s"Endpoint=sb://contoso.servicebus.windows.net/;EntityPath=telemetry;SharedAccessKeyName=reader;SharedAccessKey=$key",
    "with extra semicolons and spaces" ->
      s" Endpoint=sb://contoso.servicebus.windows.net/ ; SharedAccessKeyName = reader;;SharedAccessKey=$key;EntityPath=telemetry; ",
    "in another case" ->
      s"ENDPOINT=SB://CONTOSO.servicebus.windows.net;sharedaccesskeyname=reader;sharedaccesskey=$key;entitypath=telemetry",
    "with a path in the endpoint" ->
      s"Endpoint=sb://contoso.servicebus.windows.net/telemetry;SharedAccessKeyName=reader;SharedAccessKey=$key;EntityPath=telemetry",
    "without a scheme" ->
      s"Endpoint=contoso.servicebus.windows.net;SharedAccessKeyName=reader;SharedAccessKey=$key;EntityPath=telemetry",
    "with Hostname" ->
      s"Hostname=contoso.servicebus.windows.net;SharedAccessKeyName=reader;SharedAccessKey=$key;EntityPath=telemetry",
    "encrypted by the legacy connector" -> LegacyEncryptionSuite.encrypted
  ).foreach { case (how, text) =>
    test(s"a connection string $how is parsed")(assert(ConnectionString.parse(text) == parsed))
  }

  test("the local hub's string has a port and selects plain AMQP") {
    val string = ConnectionString.parse(
      s"Endpoint=sb://localhost:5773;SharedAccessKeyName=reader;SharedAccessKey=$key;UseDevelopmentEmulator=true;EntityPath=telemetry"
    )
    assert(string == parsed.copy(host = "localhost", port = Some(5773), developmentEmulator = true))
  }

  test("a connection string may set timeout and transport") {
    val string = ConnectionString.parse(
      "Endpoint=sb://a.b;OperationTimeout=PT5S;TransportType=AmqpWebSockets;UseDevelopmentEmulator=False"
    )
    assert(string.operationTimeout.contains(Duration.ofSeconds(5)))
    assert(string.transport.contains(Transport.AmqpWebSockets))
    assert(!string.developmentEmulator)
  }

  test("a signature keeps its '=' and '&' characters") {
    val token = "SharedAccessSignature sr=sb%3A%2F%2Fa.b%2Fh&sig=abc%3D&se=1700000000&skn=reader"
    val string = ConnectionString.parse(s"Endpoint=sb://a.b/;SharedAccessSignature=$token;EntityPath=h")
    assert(string.credential.contains(Credential.SharedAccessSignature(Secret(token))))
  }

  test("a string without a key or signature has no credential") {
    assert(ConnectionString.parse("Endpoint=sb://a.b/;EntityPath=h").credential.isEmpty)
  }

  Seq(
    "" -> "is empty",
    " ; " -> "is empty",
    "something" -> "a part 1 without '='",
    "Endpoint=sb://a.b;EntityPth=h" -> "did you mean EntityPath?",
    "Endpoint=sb://a.b;Endpoint=sb://c.d" -> "has Endpoint twice",
    "Endpoint=sb://a.b;Hostname=c.d" -> "has both an Endpoint and a Hostname",
    "EntityPath=h" -> "has no Endpoint",
    "Endpoint=" -> "has no value for Endpoint",
    "Endpoint=sb://" -> "has an Endpoint that is not",
    "Endpoint=sb://a b" -> "has an Endpoint that is not",
    "Endpoint=ftp://a.b" -> "has an Endpoint that is not",
    "Endpoint=sb://a.b;OperationTimeout=soon" -> "has a OperationTimeout that is not a duration",
    "Endpoint=sb://a.b;TransportType=Kafka" -> "has a TransportType that is not one of amqp, amqpWebSockets",
    "Endpoint=sb://a.b;UseDevelopmentEmulator=maybe" -> "has a UseDevelopmentEmulator that is not true or false",
    s"Endpoint=sb://a.b;SharedAccessKey=$key" -> "has a SharedAccessKey but no SharedAccessKeyName",
    "Endpoint=sb://a.b;SharedAccessKeyName=reader" -> "has a SharedAccessKeyName but no SharedAccessKey",
    s"Endpoint=sb://a.b;SharedAccessSignature=$key;SharedAccessKeyName=r;SharedAccessKey=$key" ->
      "has both a SharedAccessKey (or its name) and a SharedAccessSignature",
    s"Endpoint=sb://a.b;SharedAccessKeyName=r;SharedAccessKey=$key;$key" -> "has a part 4",
    s"$key=x" -> "has a part 1",
    LegacyEncryptionSuite.ofAnotherVersion -> "seems to be encrypted"
  ).foreach { case (text, problem) =>
    test(s"'${text.take(60)}' is rejected: $problem") {
      val error = intercept[EventHubsException](ConnectionString.parse(text))
      assert(error.getCondition == "EVENTHUBS_INVALID_CONNECTION_STRING")
      assert(error.getMessage.contains(problem))
      assert(!error.getMessage.contains("c2VjcmV0"), "the message shows the key")
    }
  }

  test("toString shows no secrets") {
    assert(!parsed.toString.contains(key))
    assert(!ConnectionStringParts.parse(
      s"Endpoint=sb://a.b;SharedAccessKeyName=r;SharedAccessKey=$key"
    ).toString.contains(key))
  }

  test("what users often take for the connection string of an event hub is recognised") {
    Seq(
      "'Endpoint=sb://contoso/;SharedAccessKeyName=a;SharedAccessKey=c2VjcmV0'" -> "is in quotation marks",
      "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=c2VjcmV0" -> "is one of an Azure Storage",
      "AccountEndpoint=https://a.documents.azure.com/;AccountKey=c2VjcmV0;" -> "Cosmos DB account",
      "HostName=a.azure-devices.net;SharedAccessKeyName=owner;SharedAccessKey=c2VjcmV0" -> "is one of an IoT hub"
    ).foreach { case (text, expected) =>
      val refused = intercept[EventHubsException](ConnectionString.parse(text))
      assert(refused.getMessage.contains(s"The connection string $expected") || refused.getMessage.contains(expected))
      assert(!refused.getMessage.contains("c2VjcmV0"))
    }
  }
}
