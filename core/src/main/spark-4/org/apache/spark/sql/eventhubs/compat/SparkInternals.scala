package org.apache.spark.sql.eventhubs.compat

import java.util.{Map => JavaMap, UUID}

import org.apache.hadoop.conf.Configuration

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.classic.ClassicConversions.castToImpl
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, SQLContext, SparkSession}

/** Spark's internal classes that have another package in Spark 3.5. */
private[eventhubs] object SparkInternals {

  /** The rows of a micro-batch of a V1 source. */
  def streamingFrame(sqlContext: SQLContext, rows: RDD[InternalRow], schema: StructType): DataFrame =
    castToImpl(sqlContext).internalCreateDataFrame(rows, schema, isStreaming = true)

  /** The running queries of all sessions, by their ids. Their class has another package since Spark 4.1. */
  def activeQueries(spark: SparkSession): JavaMap[UUID, AnyRef] =
    castToImpl(spark).sharedState.activeStreamingQueries.asInstanceOf[JavaMap[UUID, AnyRef]]

  /** Hadoop's configuration with the session's settings. */
  def hadoopConf(spark: SparkSession): Configuration = castToImpl(spark).sessionState.newHadoopConf()
}
