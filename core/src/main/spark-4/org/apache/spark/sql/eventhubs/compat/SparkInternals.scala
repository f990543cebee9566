package org.apache.spark.sql.eventhubs.compat

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

  /** Hadoop's configuration with the session's settings. */
  def hadoopConf(spark: SparkSession): Configuration = castToImpl(spark).sessionState.newHadoopConf()
}
