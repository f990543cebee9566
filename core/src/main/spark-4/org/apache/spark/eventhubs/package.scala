package org.apache.spark

/** For code of the legacy connector. Its counterpart for Spark 3.5 also has members of Scala's later library. */
package object eventhubs extends org.apache.spark.eventhubs.options.LegacyNames
