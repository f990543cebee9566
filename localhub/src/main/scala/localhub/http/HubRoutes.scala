package localhub.http

import localhub.HubConfig
import localhub.node.{Ensured, Namespace}

/** Management of hubs: list, look, create or grow, delete. */
final class HubRoutes(namespace: Namespace) extends Routes {

  override val answer: PartialFunction[Request, Reply] = {
    case Request("GET", List("hubs"), _, _) =>
      Reply.json(200, ujson.Obj("hubs" -> ujson.Arr.from(namespace.all.map(HubJson(_)))))
    case Request("GET", List("hubs", name), _, _) =>
      namespace.find(name).fold(HubRoutes.unknown(name))(hub => Reply.json(200, HubJson(hub)))
    case Request("PUT", List("hubs", name), query, _) => put(wanted(name, query))
    case Request("DELETE", List("hubs", name), _, _) =>
      if (namespace.delete(name)) Reply.NoContent else HubRoutes.unknown(name)
  }

  private def put(wanted: HubConfig): Reply = namespace.ensure(wanted) match {
    case Ensured.Created(hub) => Reply.json(201, HubJson(hub))
    case Ensured.Unchanged(hub) => Reply.json(200, HubJson(hub))
    case Ensured.Grown(hub) => Reply.json(200, HubJson(hub))
    case Ensured.Refused(_, reason) => Reply.error(409, reason)
  }

  private def wanted(name: String, query: Map[String, String]): HubConfig = {
    val unknown = query.keySet -- HubRoutes.Parameters
    if (unknown.nonEmpty)
      throw BadRequest(s"'${unknown.min}' is not a parameter here; known are ${HubRoutes.Parameters.mkString(", ")}.")
    val groups = query.get("consumerGroups").toSeq.flatMap(_.split(',')).map(_.trim).filter(_.nonEmpty)
    HubConfig(name, partitions(name, query), groups.toSet)
  }

  private def partitions(name: String, query: Map[String, String]): Int =
    query.get("partitions") match {
      case Some(text) =>
        text.toIntOption.getOrElse(
          throw BadRequest(s"partitions=$text: expected a whole number, 1 to ${HubConfig.MaxPartitions}.")
        )
      case None =>
        namespace.find(name).map(_.config.partitions).getOrElse(
          throw BadRequest(s"A new event hub needs ?partitions=N, 1 to ${HubConfig.MaxPartitions}.")
        )
    }
}

object HubRoutes {
  private val Parameters = Seq("partitions", "consumerGroups")

  def unknown(name: String): Reply =
    Reply.error(404, s"There is no event hub '$name'. Create it with PUT /hubs/$name?partitions=N.")
}
