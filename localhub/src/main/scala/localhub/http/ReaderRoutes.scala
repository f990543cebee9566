package localhub.http

import localhub.amqp.server.ReaderView
import localhub.namespace.Namespace

/** Lists the open readers with their lag. */
private[localhub] final class ReaderRoutes(namespace: Namespace, readers: () => Seq[ReaderView]) extends Routes {

  override val answer: PartialFunction[Request, Response] = { case Request("GET", List("readers"), query, _) =>
    Parameters.check(query, "hub")
    val shown = readers().filter(reader => query.get("hub").forall(_.equalsIgnoreCase(reader.hub)))
    val sorted = shown.sortBy(reader => (reader.hub, reader.consumerGroup, reader.partition.toInt, reader.name))
    Response.json(200, ujson.Obj("readers" -> ujson.Arr.from(sorted.map(json))))
  }

  private def json(reader: ReaderView): ujson.Obj = ujson.Obj(
    "hub" -> reader.hub,
    "consumerGroup" -> reader.consumerGroup,
    "partition" -> reader.partition,
    "nextSequenceNumber" -> HubJson.number(reader.nextSequenceNumber),
    "lag" -> HubJson.number(ReaderRoutes.lag(namespace, reader)),
    "credit" -> reader.credit,
    "epoch" -> reader.epoch.fold[ujson.Value](ujson.Null)(HubJson.number),
    "connection" -> reader.connection,
    "link" -> reader.name
  )
}

private[localhub] object ReaderRoutes {

  /** Events that have not been sent to the reader. */
  def lag(namespace: Namespace, reader: ReaderView): Long = {
    val log = namespace.find(reader.hub).flatMap(_.partition(reader.partition))
    log.fold(0L)(each => math.max(0L, each.bounds.lastSequenceNumber + 1 - reader.nextSequenceNumber))
  }
}
