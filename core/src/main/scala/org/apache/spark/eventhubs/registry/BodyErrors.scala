package org.apache.spark.eventhubs.registry

import org.apache.spark.eventhubs.{ErrorCondition, EventHubsException}

/** Where an event is, as far as its row says. */
private[spark] final case class EventPlace(hub: Option[String], partition: Option[String], seqNo: Option[Long]) {

  /** Begins a sentence. */
  override def toString: String = {
    val where = partition.map(id => s" of partition $id").mkString + hub.map(name => s" of '$name'").mkString
    seqNo.fold(if (where.isEmpty) "An event" else s"An event$where")(number => s"Event $number$where")
  }
}

/** Why a body cannot be decoded, one factory per condition. */
private[spark] object BodyErrors {

  def noSchemaId(event: EventPlace, problem: String): EventHubsException =
    new EventHubsException(ErrorCondition.Body.NoSchemaId, Map("event" -> event.toString, "problem" -> problem))

  def unknownSchema(event: EventPlace, id: SchemaId, namespace: String): EventHubsException = new EventHubsException(
    ErrorCondition.Body.UnknownSchema,
    Map("event" -> event.toString, "id" -> id.text, "namespace" -> namespace)
  )

  /** @param id of the schema that the event names; None for JSON, which needs none */
  def mismatch(event: EventPlace, id: Option[SchemaId], problem: String): EventHubsException = new EventHubsException(
    ErrorCondition.Body.Mismatch,
    Map("event" -> event.toString, "schema" -> id.fold("JSON")(known => s"the schema '$known'"), "problem" -> problem)
  )
}
