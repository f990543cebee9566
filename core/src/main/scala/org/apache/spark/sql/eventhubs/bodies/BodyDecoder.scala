package org.apache.spark.sql.eventhubs.bodies

import org.apache.spark.eventhubs.ErrorConditions
import org.apache.spark.eventhubs.registry.EventPlace
import org.apache.spark.sql.catalyst.util.MapData
import org.apache.spark.unsafe.types.UTF8String

/** Decodes the bodies of a task's events. Not thread-safe. */
private[bodies] trait BodyDecoder {

  /**
   * The value of a body; null for an empty one.
   *
   * @param contentType null if there is none
   * @param properties  null if there are none
   * @param place       of the event, for errors
   * @throws EventHubsException EVENTHUBS_BODY for what the event has, EVENTHUBS_SCHEMA_REGISTRY for the registry
   */
  def decode(body: Array[Byte], contentType: UTF8String, properties: MapData, place: () => EventPlace): Any
}

private[bodies] object BodyDecoder {

  private val LongestProblem = 500

  /** The message of a failure as a part of a sentence. */
  def problem(failed: Throwable): String = {
    val said = Option(failed.getMessage).getOrElse(failed.getClass.getSimpleName)
    val line = ErrorConditions.withoutSecrets(said).split("\\s*\\n\\s*").mkString(" ")
    line.take(LongestProblem).stripSuffix(".")
  }
}
