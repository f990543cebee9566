package localhub.cli

import localhub.LocalHub

/** What a person sees when the hub is up: where it is and how to connect. */
object Banner {

  def text(hub: LocalHub): String = {
    val hubs = hub.namespace.all.map { each =>
      val groups = if (each.consumerGroups.size > 1) each.consumerGroups.mkString(", groups ", ", ", "") else ""
      s"""  ${each.name}: ${each.partitions.size} partition(s)$groups
         |    ${hub.connectionString(each.name)}""".stripMargin
    }
    val storage = hub.config.dataDir.fold("in memory, gone when this program ends")(directory =>
      s"kept in ${directory.toAbsolutePath}"
    )
    s"""Event Hubs is running on this machine.
       |  AMQP    ${hub.config.host}:${hub.amqpPort}
       |  HTTP    ${hub.httpUrl}
       |  Events  $storage
       |
       |Connection string of the namespace:
       |    ${hub.connectionString}
       |${if (hubs.isEmpty) s"No event hubs yet. Create one: curl -X PUT '${hub.httpUrl}/hubs/telemetry?partitions=4'"
      else hubs.mkString("Event hubs:\n", "\n", "")}
       |
       |Ctrl-C ends it.""".stripMargin
  }
}
