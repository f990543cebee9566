package org.apache.spark.sql.eventhubs

import org.apache.spark.eventhubs.EventHubsErrors

/**
 * `ADD JAR` in a running session defines the connector's classes in a class loader of the session, which Spark does not
 * use for the results of tasks: each job would fail with a ClassNotFoundException.
 */
private[eventhubs] object LateJar {

  /** In Spark 3.5 to 4.3 only `ADD JAR` has it. Its parent has the jars that the session started with. */
  private val SessionLoader = "org.apache.spark.sql.internal.NonClosableMutableURLClassLoader"

  /** @throws org.apache.spark.eventhubs.EventHubsException EVENTHUBS_JAR_ADDED_LATE */
  def check(): Unit = if (isLate(getClass.getClassLoader)) throw EventHubsErrors.jarAddedLate()

  private def isLate(own: ClassLoader): Boolean = own.getClass.getName == SessionLoader
}
