package localhub.cli

import localhub.LocalHub
import localhub.namespace.EventHub

/** The text on stdout when the hub has started: its addresses and connection strings. */
private[localhub] object Banner {

  def text(hub: LocalHub): String =
    (places(hub) ++ Seq("", "Connection string of the namespace:", s"    ${hub.connectionString}") ++ hubs(hub) ++
      Seq("", "Ctrl-C ends it.")).mkString("\n")

  private def places(hub: LocalHub): Seq[String] = {
    val storage = hub.config.dataDir.fold("in memory, lost when this program ends") { directory =>
      s"kept in ${directory.toAbsolutePath}"
    }
    Seq("Event Hubs is running on this machine.", s"  AMQP    ${hub.config.host}:${hub.amqpPort}") ++
      hub.tlsPort.map(port => s"  TLS     ${hub.config.host}:$port, certificate at ${hub.httpUrl}/certificate") ++
      hub.authority.map { authority =>
        s"  Entra   ${authority.url}, tenant ${authority.tenantId}, certificate in ${hub.httpUrl}/authority"
      } ++
      Seq(s"  HTTP    ${hub.httpUrl}, in a browser the Data Explorer", s"  Events  $storage")
  }

  private def hubs(hub: LocalHub): Seq[String] = {
    val all = hub.namespace.all
    if (all.isEmpty) Seq(s"No event hubs yet. Create one: curl -X PUT '${hub.httpUrl}/hubs/telemetry?partitions=4'")
    else "Event hubs:" +: all.flatMap(each => Seq(s"  ${summary(each)}", s"    ${hub.connectionString(each.name)}"))
  }

  private def summary(hub: EventHub): String = {
    val groups = if (hub.consumerGroups.size > 1) hub.consumerGroups.mkString(", groups ", ", ", "") else ""
    s"${hub.name}: ${hub.partitions.size} partition(s)$groups"
  }
}
