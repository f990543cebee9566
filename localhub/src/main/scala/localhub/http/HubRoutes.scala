package localhub.http

import localhub.node.{Ensured, EventHub, Namespace}
import localhub.{HubConfig, SettingText}

/** Management of hubs: list, look, create or grow, delete. */
final class HubRoutes(namespace: Namespace) extends Routes {

  override val answer: PartialFunction[Request, Reply] = {
    case Request("GET", List("hubs"), _, _) =>
      Reply.json(200, ujson.Obj("hubs" -> ujson.Arr.from(namespace.all.map(HubJson(_)))))
    case Request("GET", List("hubs", name), _, _) =>
      namespace.find(name).fold(HubRoutes.unknown(name))(hub => Reply.json(200, HubJson(hub)))
    case Request("PUT", List("hubs", name), query, _) => put(wanted(name, query), new LimitParameters(query))
    case Request("DELETE", List("hubs", name), _, _) =>
      if (namespace.delete(name)) Reply.NoContent else HubRoutes.unknown(name)
    case Request("POST", List("hubs", name, "recreate"), _, _) =>
      namespace.recreate(name).fold(HubRoutes.unknown(name))(hub => Reply.json(201, HubJson(hub)))
    case Request("POST", List("hubs", name, "partitions", id, "expire"), query, _) =>
      namespace.find(name).fold(HubRoutes.unknown(name))(expire(_, id, query))
  }

  private def put(wanted: HubConfig, limits: LimitParameters): Reply = namespace.ensure(wanted) match {
    case Ensured.Created(hub) => Reply.json(201, HubJson(hub))
    case Ensured.Unchanged(hub) => Reply.json(200, HubJson(withoutTaken(hub, limits)))
    case Ensured.Changed(hub) => Reply.json(200, HubJson(withoutTaken(hub, limits)))
    case Ensured.Refused(_, reason) => Reply.error(409, reason)
  }

  private def withoutTaken(hub: EventHub, limits: LimitParameters): EventHub =
    if (!limits.takeAny) hub
    else {
      val (retention, throughputUnits) = limits.leftOf(hub.config)
      namespace.changeLimits(hub.name, retention, throughputUnits).getOrElse(hub)
    }

  private def expire(hub: EventHub, id: String, query: Map[String, String]): Reply = {
    Parameters.check(query, "before")
    val before = Parameters.long(query, "before").getOrElse(
      throw BadRequest("?before=N is missing: the first sequence number to keep.")
    )
    if (hub.expire(id, before)) Reply.json(200, HubJson(hub)) else HubRoutes.unknownPartition(hub, id)
  }

  private def wanted(name: String, query: Map[String, String]): HubConfig = {
    Parameters.check(query, Seq("partitions", "consumerGroups") ++ LimitParameters.all: _*)
    val limits = new LimitParameters(query)
    val groups = query.get("consumerGroups").toSeq.flatMap(_.split(',')).map(_.trim).filter(_.nonEmpty)
    HubConfig(
      name,
      partitions(name, query),
      groups.toSet,
      limits.retention,
      limits.throughputUnits
    )
  }

  private def partitions(name: String, query: Map[String, String]): Int =
    query.get("partitions") match {
      case Some(text) => SettingText.count("partitions", text)
      case None =>
        namespace.find(name).map(_.config.partitions).getOrElse(
          throw BadRequest(s"A new event hub needs ?partitions=N, 1 to ${HubConfig.MaxPartitions}.")
        )
    }
}

object HubRoutes {
  def unknown(name: String): Reply =
    Reply.error(404, s"There is no event hub '$name'. Create it with PUT /hubs/$name?partitions=N.")

  def unknownPartition(hub: EventHub, id: String): Reply =
    Reply.error(404, s"The event hub '${hub.name}' has no partition '$id'; it has 0 to ${hub.partitions.size - 1}.")
}
