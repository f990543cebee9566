package javaapi

import java.net.URI

import org.apache.spark.eventhubs.{ConnectionStringBuilder, EventHubsConf}

/** The Scala of docs/migration.md that replaces an AAD callback. [[MigrationDocSuite]] compares the two. */
object MigratedScalaJob {

  def conf(tenant: String, client: String, secret: String): EventHubsConf = {
    val string = ConnectionStringBuilder()
      .setAadAuthConnectionString(new URI("sb://contoso.servicebus.windows.net"), "telemetry")
      .build
    val conf = EventHubsConf(string)
      .set("eventhubs.auth.type", "clientSecret")
      .set("eventhubs.auth.tenantId", tenant)
      .set("eventhubs.auth.clientId", client)
      .set("eventhubs.auth.clientSecret", secret)
    conf
  }
}
