package org.apache.spark.sql.eventhubs.sink

import java.util.UUID

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.eventhubs.compat.SparkInternals

/** Whether a query runs in Real-Time Mode. Spark reports that to sources but not to sinks. */
private[eventhubs] object RealTimeTrigger extends Logging {

  /** The class of the trigger. Named as text because Spark before 4.1 has none. */
  private val Name = "RealTimeTrigger"

  /** For the query's thread. False for a query that Spark does not know, such as one of a test. */
  def isOf(queryId: String): Boolean =
    try
      Option(SparkInternals.activeQueries(SparkSession.active).get(UUID.fromString(queryId)))
        .exists(query => query.getClass.getMethod("trigger").invoke(query).getClass.getSimpleName == Name)
    catch {
      // A changed Spark, such as Databricks', may lack what is asked. No query may fail for that.
      case unknown: Throwable if NonFatal(unknown) || unknown.isInstanceOf[LinkageError] =>
        logWarning(s"The trigger of query $queryId is unknown; set 'eventhubs.lingerMs' in Real-Time Mode", unknown)
        false
    }
}
