package org.apache.spark.sql.eventhubs.bodies

import java.util.{HashMap => JavaHashMap}

import scala.util.control.NonFatal

import org.apache.avro.Schema

import org.apache.spark.TaskContext
import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.eventhubs.options.RegistrySettings
import org.apache.spark.eventhubs.registry.{BodyErrors, EventPlace, NamedSchema, RegistryClient, SchemaId}
import org.apache.spark.sql.catalyst.util.MapData
import org.apache.spark.unsafe.types.UTF8String

/**
 * Decodes the Avro bodies of events to values of the reader's schema, each with the schema that the event names. It has
 * a decoder for each schema. Not thread-safe.
 *
 * @param toSpark converts a value of the reader's schema
 */
private[bodies] final class AvroDecoder(settings: RegistrySettings, reader: Schema, toSpark: Any => Any)
    extends BodyDecoder {

  private val schemas = new EventSchemas
  private val decoders = new JavaHashMap[SchemaId, AvroBody]

  override def decode(body: Array[Byte], contentType: UTF8String, properties: MapData, place: () => EventPlace): Any =
    if (body.isEmpty) None.orNull
    else
      schemas.of(body, contentType, properties) match {
        case Right(named) if !named.isJson => decoded(body, named, place)
        case Right(json) => throw BodyErrors.mismatch(place(), Some(json.id), "the event says that its body is JSON")
        case Left(problem) => throw BodyErrors.noSchemaId(place(), problem)
      }

  private def decoded(body: Array[Byte], named: NamedSchema, place: () => EventPlace): Any = {
    val known = decoders.get(named.id)
    val decoder = if (known eq null) newDecoder(named.id, place) else known
    try decoder.decode(body, schemas.bodyStart)
    catch {
      // A body that is something else may look like values within values.
      case deep: StackOverflowError => throw mismatch(named.id, deep, place)
      case NonFatal(failed) => throw mismatch(named.id, failed, place)
    }
  }

  private def mismatch(id: SchemaId, failed: Throwable, place: () => EventPlace): EventHubsException =
    BodyErrors.mismatch(place(), Some(id), BodyDecoder.problem(failed))

  private def newDecoder(id: SchemaId, place: () => EventPlace): AvroBody = {
    val connection = settings.connection
    val found = ExecutorResources.get.schemas.of(connection, id, AvroDecoder.checkCancelled)(
      new RegistryClient(connection, AvroDecoder.checkCancelled).schema(id)
    )
    val schema = found.getOrElse(throw BodyErrors.unknownSchema(place(), id, connection.hub.namespace))
    val writer = schema.avro.fold(problem => throw BodyErrors.mismatch(place(), Some(id), problem), identity)
    val decoder = new AvroBody(writer, reader, toSpark)
    if (decoders.size >= AvroDecoder.MostDecoders) decoders.clear()
    decoders.put(id, decoder)
    decoder
  }
}

private object AvroDecoder {
  private val MostDecoders = 256

  private val checkCancelled = () => Option(TaskContext.get()).foreach(_.killTaskIfInterrupted())
}
