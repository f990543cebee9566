package org.apache.spark.sql.eventhubs.cluster

import java.nio.file.Files

import org.scalatest.Suite
import org.scalatest.time.{Seconds, Span}

import org.apache.spark.scheduler.TaskSchedulerImpl
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.eventhubs.OwnSession
import org.apache.spark.sql.eventhubs.source.ReadSparkFixture
import org.apache.spark.util.Utils
import org.apache.spark.{SparkConf, SparkContext}

/** A cluster on this machine. Each worker has one executor process. */
trait ClusterFixture extends ReadSparkFixture with OwnSession { this: Suite =>

  /** Settings in addition to those of the cluster. */
  protected def settings: Seq[(String, String)] = Nil

  protected def master: String = "local-cluster[2,1,1024]"

  // Workers start executors from a Spark home. It may be empty, because this JVM's class path has all classes.
  private val testing = Map("spark.testing" -> "true", "spark.test.home" -> emptyHome())

  override protected lazy val spark: SparkSession = {
    stopActiveContext()
    Utils.setCustomHostname("127.0.0.1")
    val conf = new LoopbackConf
    conf.setAppName("local cluster").setMaster(master)
    conf.set("spark.ui.enabled", "false")
    conf.set("spark.driver.host", "127.0.0.1").set("spark.driver.bindAddress", "127.0.0.1")
    conf.set("spark.executor.memory", "512m").set("spark.executor.extraClassPath", sys.props("java.class.path"))
    conf.set("spark.executor.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    // Tasks wait for their preferred executor, so that a slow machine does not scatter them.
    conf.set("spark.locality.wait", "120s")
    settings.foreach { case (key, value) => conf.set(key, value) }
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

  /** Ids of the running executors. */
  protected def executors: Set[String] =
    spark.sparkContext.env.blockManager.master
      .getPeers(spark.sparkContext.env.blockManager.blockManagerId)
      .map(_.executorId)
      .toSet

  protected def awaitExecutors(count: Int): Unit = {
    // Creates the session first, so that its creation does not count towards the timeout.
    val scheduler = spark.sparkContext.taskScheduler.asInstanceOf[TaskSchedulerImpl]
    eventually(timeout(Span(180, Seconds))) {
      // A block manager is registered before its executor gets tasks.
      val alive = executors.filter(scheduler.isExecutorAlive)
      assert(alive.size == count && executors.size == count)
    }
  }
}

/** The web pages of master and workers listen on this variable's address, or on all. */
private class LoopbackConf extends SparkConf(false) {

  override private[spark] def getenv(name: String): String =
    if (name == "SPARK_LOCAL_IP") "127.0.0.1" else super.getenv(name)

  override def clone: SparkConf = {
    val copy = new LoopbackConf
    getAll.foreach { case (key, value) => copy.set(key, value) }
    copy
  }
}
