package localhub.http

import localhub.amqp.event.StoredEventKey
import localhub.namespace.{EnsureResult, EventHub, Namespace}
import localhub.{HubConfig, SettingParser}

/** Manages hubs: list, show, create or grow, delete. */
private[localhub] final class HubRoutes(namespace: Namespace) extends Routes {

  override val answer: PartialFunction[Request, Response] = {
    case Request("GET", List("hubs"), _, _) =>
      Response.json(200, ujson.Obj("hubs" -> ujson.Arr.from(namespace.all.map(HubJson(_)))))
    case Request("GET", List("hubs", name), _, _) =>
      namespace.find(name).fold(HubRoutes.unknown(name))(hub => Response.json(200, HubJson(hub)))
    case Request("PUT", List("hubs", name), query, _) =>
      val config = wanted(name, query)
      if (geoReplication(query).contains(false) && namespace.find(name).exists(_.config.geoReplication))
        Response.error(
          409,
          s"The event hub '$name' is geo-replicated, which cannot be changed. Delete the hub first."
        )
      else put(config, new LimitParameters(query))
    case Request("DELETE", List("hubs", name), _, _) =>
      if (namespace.delete(name)) Response.NoContent else HubRoutes.unknown(name)
    case Request("POST", List("hubs", name, "recreate"), _, _) =>
      namespace.recreate(name).fold(HubRoutes.unknown(name))(hub => Response.json(201, HubJson(hub)))
    case Request("POST", List("hubs", name, "promote"), query, _) =>
      namespace.find(name).fold(HubRoutes.unknown(name))(promote(_, query))
    case Request("POST", List("hubs", name, "partitions", id, "expire"), query, _) =>
      namespace.find(name).fold(HubRoutes.unknown(name))(expire(_, id, query))
    case Request("POST", List("hubs", name, "partitions", id, "compact"), query, _) =>
      namespace.find(name).fold(HubRoutes.unknown(name))(compact(_, id, query))
  }

  private def put(wanted: HubConfig, limits: LimitParameters): Response = namespace.ensure(wanted) match {
    case EnsureResult.Created(hub) => Response.json(201, HubJson(hub))
    case EnsureResult.Unchanged(hub) => Response.json(200, HubJson(withoutRemovedLimits(hub, limits)))
    case EnsureResult.Changed(hub) => Response.json(200, HubJson(withoutRemovedLimits(hub, limits)))
    case EnsureResult.Refused(_, reason) => Response.error(409, reason)
  }

  private def withoutRemovedLimits(hub: EventHub, limits: LimitParameters): EventHub = {
    val policy = if (limits.stopsCompaction) namespace.stopCompaction(hub.name) else None
    val limited = Option.when(limits.removesAny) {
      val (retention, throughputUnits) = limits.remaining(hub.config)
      namespace.changeLimits(hub.name, retention, throughputUnits)
    }.flatten
    limited.orElse(policy).getOrElse(hub)
  }

  private def expire(hub: EventHub, id: String, query: Map[String, String]): Response = {
    Parameters.check(query, "before")
    val before = Parameters.long(query, "before").getOrElse(
      throw BadRequest("?before=N is missing: the first sequence number to keep.")
    )
    if (hub.expire(id, before)) Response.json(200, HubJson(hub)) else HubRoutes.unknownPartition(hub, id)
  }

  private def promote(hub: EventHub, query: Map[String, String]): Response = {
    Parameters.check(query, "unreplicated", "partition")
    hub.promote(Parameters.long(query, "unreplicated").getOrElse(0L), query.get("partition"))
    Response.json(200, HubJson(hub))
  }

  private def compact(hub: EventHub, id: String, query: Map[String, String]): Response = {
    Parameters.check(query, "before", "tombstones")
    val removesTombstones = query.get("tombstones") match {
      case Some("remove") => true
      case Some("keep") | None => false
      case Some(other) => throw BadRequest(s"tombstones is '$other'; expected keep or remove.")
    }
    if (hub.compact(id, Parameters.long(query, "before"), removesTombstones, StoredEventKey.of))
      Response.json(200, HubJson(hub))
    else HubRoutes.unknownPartition(hub, id)
  }

  private def wanted(name: String, query: Map[String, String]): HubConfig = {
    Parameters.check(query, Seq("partitions", "consumerGroups", "geoReplication") ++ LimitParameters.all: _*)
    val limits = new LimitParameters(query)
    val groups = query.get("consumerGroups").toSeq.flatMap(_.split(',')).map(_.trim).filter(_.nonEmpty)
    HubConfig(
      name,
      partitions(name, query),
      groups.toSet,
      limits.retention,
      limits.throughputUnits,
      compaction = limits.compaction,
      geoReplication = geoReplication(query).contains(true)
    )
  }

  private def geoReplication(query: Map[String, String]): Option[Boolean] = query.get("geoReplication").map {
    case "true" => true
    case "false" => false
    case other => throw BadRequest(s"geoReplication is '$other'; expected true or false.")
  }

  private def partitions(name: String, query: Map[String, String]): Int =
    query.get("partitions") match {
      case Some(text) => SettingParser.count("partitions", text)
      case None =>
        namespace.find(name).map(_.config.partitions).getOrElse(
          throw BadRequest(s"A new event hub needs ?partitions=N, 1 to ${HubConfig.MaxPartitions}.")
        )
    }
}

private[localhub] object HubRoutes {
  def unknown(name: String): Response =
    Response.error(404, s"There is no event hub '$name'. Create it with PUT /hubs/$name?partitions=N.")

  def unknownPartition(hub: EventHub, id: String): Response =
    Response.error(404, s"The event hub '${hub.name}' has no partition '$id'; it has 0 to ${hub.partitions.size - 1}.")
}
