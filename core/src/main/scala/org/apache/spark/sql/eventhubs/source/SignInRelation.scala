package org.apache.spark.sql.eventhubs.source

import java.sql.Timestamp

import org.apache.spark.eventhubs.identity.{SignInCheck, SignInReport}
import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.sources.{BaseRelation, TableScan}
import org.apache.spark.sql.types.{BooleanType, StringType, StructType, TimestampType}
import org.apache.spark.sql.{Row, SQLContext}

/** One row: the report of a check that the driver makes for each scan. */
private[eventhubs] final class SignInRelation(override val sqlContext: SQLContext, settings: ReadSettings)
    extends BaseRelation
    with TableScan {

  override def schema: StructType = SignInRelation.schema

  override def buildScan(): RDD[Row] = {
    val report = new SignInCheck(settings).report()
    sqlContext.sparkContext.parallelize(Seq(SignInRelation.row(report)), numSlices = 1)
  }

  override def toString: String = s"SignInRelation(${settings.connection.hub})"
}

private object SignInRelation {

  val schema: StructType = new StructType()
    .add("hub", StringType)
    .add("namespace", StringType)
    .add("way", StringType)
    .add("policy", StringType)
    .add("application", StringType)
    .add("tenant", StringType)
    .add("authority", StringType)
    .add("tokenExpiresAt", TimestampType)
    .add("consumerGroup", StringType)
    .add("listen", BooleanType)
    .add("listenProblem", StringType)
    .add("send", BooleanType)
    .add("sendProblem", StringType)

  def row(report: SignInReport): Row = Row(
    report.hub.name,
    report.hub.namespace,
    report.way,
    report.policy.orNull,
    report.identity.flatMap(_.application).orNull,
    report.identity.flatMap(_.tenant).orNull,
    report.identity.flatMap(_.authority).orNull,
    report.identity.flatMap(_.expiresAt).map(Timestamp.from).orNull,
    report.consumerGroup,
    report.listen.problem.isEmpty,
    report.listen.problem.orNull,
    report.send.problem.isEmpty,
    report.send.problem.orNull
  )
}
