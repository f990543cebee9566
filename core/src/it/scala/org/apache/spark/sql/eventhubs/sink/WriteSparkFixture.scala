package org.apache.spark.sql.eventhubs.sink

import org.scalatest.Suite

import org.apache.spark.eventhubs.connection.WriteHubFixture
import org.apache.spark.sql.eventhubs.TestSpark

/** Writes to a local hub with Spark, and reads it with the SDK. */
trait WriteSparkFixture extends WriteHubFixture with TestSpark { this: Suite => }
