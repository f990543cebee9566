package org.apache.spark.eventhubs.options

import java.net.URI
import java.time.Duration

import org.apache.spark.eventhubs.{Credential, EventHubName, EventHubsException}
import testkit.TestSuite

class ConnectionSettingsSuite extends TestSuite {

  private val namespaceString =
    "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=r;SharedAccessKey=a2V5"
  private val hubString = s"$namespaceString;EntityPath=telemetry"
  private val hub = EventHubName("contoso.servicebus.windows.net", "telemetry")

  private def parse(options: (String, String)*): ConnectionSettings =
    ConnectionSettings.parse(OptionsParser.parse(options.map { case (name, text) => s"eventhubs.$name" -> text }.toMap))

  private def refused(options: (String, String)*): EventHubsException =
    intercept[EventHubsException](parse(options: _*))

  test("the hub's name comes from the connection string or from the option") {
    assert(parse("connectionString" -> hubString).hub == hub)
    assert(parse("connectionString" -> namespaceString, "name" -> "telemetry").hub == hub)
    assert(parse("connectionString" -> namespaceString, "eventHubName" -> "telemetry").hub == hub)
    assert(parse("connectionString" -> hubString, "name" -> "TELEMETRY").hub == hub)
  }

  test("namespace, name and an authentication type replace a connection string") {
    val settings =
      parse("namespace" -> "Contoso.servicebus.windows.net", "name" -> "telemetry", "auth.type" -> "default")
    assert(settings.hub == hub && settings.credential == Credential.DefaultAzure())
  }

  test("a connection string without a key can be combined with an authentication type") {
    val string = "Endpoint=sb://contoso.servicebus.windows.net/;EntityPath=telemetry"
    assert(parse("connectionString" -> string, "auth.type" -> "managedIdentity").credential ==
      Credential.ManagedIdentity(None))
  }

  test("different names in option and connection string are rejected, and the error has both") {
    val name = refused("connectionString" -> hubString, "name" -> "alerts")
    assert(name.getCondition == "EVENTHUBS_CONFLICTING_OPTIONS")
    assert(name.getMessage.contains("'alerts'") && name.getMessage.contains("'telemetry'"))
    val namespace = refused("connectionString" -> hubString, "namespace" -> "fabrikam.servicebus.windows.net")
    assert(namespace.getCondition == "EVENTHUBS_CONFLICTING_OPTIONS")
    assert(!namespace.getMessage.contains("a2V5"))
  }

  test("the error for a missing option names it and says how to set it") {
    assert(refused().getMessage.startsWith("[EVENTHUBS_MISSING_OPTION] 'eventhubs.connectionString' is not set."))
    assert(refused("connectionString" -> namespaceString).getMessage.contains("EntityPath=<name>"))
  }

  test("an option overrides the connection string, which overrides the default") {
    val string = s"$hubString;OperationTimeout=PT20S;TransportType=AmqpWebSockets"
    val fromString = parse("connectionString" -> string)
    assert(fromString.operationTimeout == Duration.ofSeconds(20) && fromString.transport == Transport.AmqpWebSockets)
    val fromOptions = parse("connectionString" -> string, "operationTimeout" -> "30s", "transport" -> "amqp")
    assert(fromOptions.operationTimeout == Duration.ofSeconds(30) && fromOptions.transport == Transport.Amqp)
    val default = parse("connectionString" -> hubString)
    assert(default.operationTimeout == Duration.ofSeconds(60) && default.transport == Transport.Amqp)
  }

  test("the custom endpoint and the retries set their fields") {
    val settings =
      parse("connectionString" -> hubString, "customEndpoint" -> "127.0.0.1:5671", "retry.maxRetries" -> "0")
    assert(settings.customEndpoint.contains(new URI("https://127.0.0.1:5671")) && settings.maxRetries == 0)
  }

  test("a local hub with a Microsoft Entra type is rejected") {
    val error = refused(
      "connectionString" -> "Endpoint=sb://localhost:5672;UseDevelopmentEmulator=true;EntityPath=h",
      "auth.type" -> "default"
    )
    assert(error.getCondition == "EVENTHUBS_CONFLICTING_OPTIONS")
  }

  test("settings with different credentials are not equal") {
    assert(parse("connectionString" -> hubString) == parse("connectionString" -> hubString))
    assert(parse("connectionString" -> hubString) != parse("connectionString" -> hubString.replace("a2V5", "a2V6")))
  }
}
