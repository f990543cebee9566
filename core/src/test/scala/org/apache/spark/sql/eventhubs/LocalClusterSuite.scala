package org.apache.spark.sql.eventhubs

import java.nio.file.Files

import scala.collection.mutable

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.util.Utils
import org.apache.spark.{SparkConf, SparkContext, SparkEnv}

/** A cluster of two workers with one executor each, in processes of their own on this machine. */
class LocalClusterSuite extends AnyFunSuite with ReadSparkFixture {

  // Workers start executors from a Spark home; what they need is on this JVM's class path, so an empty one will do.
  private val testing = Map("spark.testing" -> "true", "spark.test.home" -> emptyHome())

  override protected lazy val spark: SparkSession = {
    Utils.setCustomHostname("127.0.0.1")
    val conf = new LoopbackConf
    conf.setAppName("local cluster").setMaster("local-cluster[2,1,1024]")
    conf.set("spark.ui.enabled", "false")
    conf.set("spark.driver.host", "127.0.0.1").set("spark.driver.bindAddress", "127.0.0.1")
    conf.set("spark.executor.memory", "512m").set("spark.executor.extraClassPath", sys.props("java.class.path"))
    conf.set("spark.locality.wait", "120s")
    new SparkContext(conf)
    SparkSession.builder().getOrCreate()
  }

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    testing.foreach { case (key, value) => System.setProperty(key, value) }
  }

  override protected def afterAll(): Unit =
    try super.afterAll()
    finally testing.keys.foreach(System.clearProperty)

  private def emptyHome(): String = {
    val home = Files.createTempDirectory("spark-home")
    Seq("jars", "launcher/target/scala-2.13").foreach(folder => Files.createDirectories(home.resolve(folder)))
    home.toString
  }

  private def executorsUp: Int = spark.sparkContext.statusTracker.getExecutorInfos.length - 1

  Seq("false", "true").foreach { useV1 =>
    test(s"tasks run where they are planned, batch after batch, on links that stay open; useV1Source=$useV1") {
      eventually("the executors did not come")(executorsUp == 2)
      val hub = newHub(8)
      val executorOf = udf((_: String) => SparkEnv.get.executorId)
      val batches = mutable.Buffer.empty[Map[String, String]]
      val query = stream(hub, fromStart, "eventhubs.useV1Source" -> useV1).writeStream
        .foreachBatch { (frame: DataFrame, _: Long) =>
          val seen = frame.select(col("partition"), executorOf(col("partition"))).collect()
          if (seen.nonEmpty) batches += seen.map(row => row.getString(0) -> row.getString(1)).toMap
          ()
        }
        .option("checkpointLocation", newFolder().toString)
        .start()
      try
        (0 until 4).foreach { round =>
          (0 until 8).foreach(fill(hub, _, round, round + 1))
          query.processAllAvailable()
        }
      finally query.stop()
      val places = batches.flatten.toSet
      assert(places.map(_._1) == (0 until 8).map(_.toString).toSet && places.size == 8, "a partition moved")
      assert(places.groupBy(_._2).view.mapValues(_.size).toMap.values.toSeq == Seq(4, 4))
      assert(batches.length > 1)
      assert(query.recentProgress.last.sources.head.metrics.get("linksOpened") == "8")
    }
  }
}

/** The web pages of master and workers listen where this variable says, or everywhere. */
private class LoopbackConf extends SparkConf(false) {

  override private[spark] def getenv(name: String): String =
    if (name == "SPARK_LOCAL_IP") "127.0.0.1" else super.getenv(name)

  override def clone: SparkConf = {
    val copy = new LoopbackConf
    getAll.foreach { case (key, value) => copy.set(key, value) }
    copy
  }
}
