package org.apache.spark.eventhubs.executor

import scala.collection.mutable

import org.apache.spark.eventhubs.options.ConnectionSettings
import org.apache.spark.eventhubs.registry.{RegisteredSchema, SchemaId, SchemaName}
import org.apache.spark.eventhubs.signin.ClientKey
import org.apache.spark.util.Clock

/**
 * The schemas that this JVM has met, for each registry and credential. The schema of an id never changes, so each id is
 * asked for once, however many tasks meet it. An id that the registry does not have is asked for again after a while.
 */
private[spark] final class KnownSchemas(clock: Clock, maxIds: Int = 256, unknownMillis: Long = 30000) {

  import KnownSchemas._

  private type Key = (ClientKey, SchemaId)

  /** In the order of their last use. None is remembered with the time of the answer. */
  private val known = mutable.LinkedHashMap.empty[Key, Answer]
  private val flights = new SingleFlight[Key, Option[RegisteredSchema]]

  /**
   * The schema of an id; None when the registry has none.
   *
   * @param checkCancelled throws when the task is to stop; called often while another task asks
   */
  def of(connection: ConnectionSettings, id: SchemaId, checkCancelled: () => Unit)(
      ask: => Option[RegisteredSchema]
  ): Option[RegisteredSchema] = {
    val key = (ClientKey.of(connection), id)
    remembered(key).getOrElse {
      flights.run(key, checkCancelled) {
        // Another task may have asked while this one waited.
        remembered(key).getOrElse {
          val found = ask
          remember(key, found)
          found
        }
      }
    }
  }

  private val ids = new FreshAnswers[(ClientKey, SchemaName, String), SchemaId](KnownSchemas.IdMillis, maxIds, clock)

  /** The id of a text that is registered. Spark analyzes a query several times. */
  def idOf(connection: ConnectionSettings, name: SchemaName, text: String)(ask: => SchemaId): SchemaId =
    ids.of((ClientKey.of(connection), name, text))(ask)

  def size: Int = synchronized(known.size)

  private def remembered(key: Key): Option[Option[RegisteredSchema]] = synchronized {
    known.remove(key).filter(answer => answer.schema.isDefined || !isOld(answer)).map { answer =>
      known(key) = answer
      answer.schema
    }
  }

  private def isOld(answer: Answer): Boolean = clock.getTimeMillis() - answer.millis >= unknownMillis

  private def remember(key: Key, found: Option[RegisteredSchema]): Unit = synchronized {
    known(key) = Answer(found, clock.getTimeMillis())
    if (known.size > maxIds) known.remove(known.head._1)
    ()
  }
}

private object KnownSchemas {
  private val IdMillis = 600000L

  private final case class Answer(schema: Option[RegisteredSchema], millis: Long)
}
