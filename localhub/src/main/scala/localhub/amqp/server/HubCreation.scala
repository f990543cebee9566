package localhub.amqp.server

import scala.util.Try

import localhub.amqp.layer.{HttpAnswer, HttpHead, HttpResource}
import localhub.namespace.Namespace
import localhub.{HubConfig, InvalidHubException}

/**
 * The service's request `PUT /<hub>`, with an Atom entry as its body: creates an event hub. Of the description it takes
 * the number of partitions; 4 is the service's default. The token must have the Manage claim on the namespace.
 */
private[amqp] final class HubCreation(namespace: Namespace, tokens: ManagerTokens) extends HttpResource {
  import HubCreation._

  override def answer(request: HttpHead): Option[HttpAnswer] =
    request.path.map(_.stripPrefix("/")).filter(name => request.method == "PUT" && name.nonEmpty).map { name =>
      tokens.ofManager(request, s"the new hub '$name'", "EntityWrite")(_ => create(name, request.body))
    }

  private def create(name: String, description: String): HttpAnswer = {
    val partitions = Partitions.findFirstMatchIn(description).fold(DefaultPartitions)(_.group(1).toInt)
    Try(namespace.create(HubConfig(name, partitions))).fold(
      {
        case invalid: InvalidHubException => ManagerTokens.error("400 Bad Request", invalid.getMessage)
        case other => throw other
      },
      created =>
        if (created.isEmpty) ManagerTokens.error("409 Conflict", s"The event hub '$name' exists.")
        else HttpAnswer("201 Created", "application/atom+xml;type=entry;charset=utf-8", description)
    )
  }
}

private object HubCreation {
  val Partitions = "<PartitionCount>\\s*(\\d{1,6})\\s*</PartitionCount>".r
  val DefaultPartitions = 4
}
