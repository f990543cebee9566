import sbt._

/** The versions of all Scala and Java dependencies. Plugins are in plugins.sbt, Python's in python/pyproject.toml. */
object Dependencies {
  val scala213 = "2.13.18"

  /** Scala of Spark 3.5. */
  val scala212 = "2.12.18"
  val semanticdb = "4.14.2"

  private val sparkVersion = "4.2.0"

  val spark4: ModuleID = "org.apache.spark" %% "spark-sql" % sparkVersion
  val spark35: ModuleID = "org.apache.spark" %% "spark-sql" % "3.5.8"

  /** Optional for users of Spark 3.5: Spark 4 has its classes in spark-sql. Central lacks 3.5.8. */
  val sparkAvro35: ModuleID = ("org.apache.spark" %% "spark-avro" % "3.5.7").intransitive()

  /**
   * Only for tests. They use the SDK's Jackson, which is newer than Spark 3.5's, so Spark's own Scala module rejects
   * it.
   */
  val jacksonScala: ModuleID = "com.fasterxml.jackson.module" %% "jackson-module-scala" % "2.18.4"

  /** Classes of older Spark versions, to check that they have all that the jars call. (4.3 is not on Maven Central.) */
  def olderSparks(spark35: Configuration, spark40: Configuration, spark41: Configuration): Seq[ModuleID] = for {
    (version, scala, modules, config) <- Seq(
      ("3.5.0", "2.12", sparkModules :+ "spark-avro", spark35),
      ("4.0.0", "2.13", sparkModules, spark40),
      ("4.1.1", "2.13", sparkModules :+ "spark-common-utils-java", spark41)
    )
    module <- modules
  } yield ("org.apache.spark" % s"${module}_$scala" % version % config).intransitive()

  private val sparkModules =
    Seq("spark-sql", "spark-sql-api", "spark-catalyst", "spark-core", "spark-common-utils", "spark-unsafe")

  /** Spark's own Kafka connector, for comparison. Maven Central has its token provider only up to 4.0.0. */
  val sparkKafka: Seq[ModuleID] = Seq(
    ("org.apache.spark" %% "spark-sql-kafka-0-10" % sparkVersion)
      .exclude("org.apache.spark", "spark-token-provider-kafka-0-10_2.13"),
    "org.apache.spark" %% "spark-token-provider-kafka-0-10" % "4.0.0"
  )

  /** A Kafka broker of the same release as that connector's client. */
  val kafkaBroker: ModuleID = "org.apache.kafka" %% "kafka" % "3.9.2"

  /** The AMQP engine of the SDK and of the local hub. */
  val protonJ: ModuleID = "org.apache.qpid" % "proton-j" % "0.34.1"

  /**
   * Spark provides slf4j. The HTTP client is the JDK's, so that the jar contains no netty. The first three versions
   * change together: the connector uses internals of these modules, which SdkInternalsSuite checks.
   */
  val azure: Seq[ModuleID] = Seq(
    ("com.azure" % "azure-messaging-eventhubs" % "5.21.5").exclude("org.slf4j", "slf4j-api"),
    ("com.azure" % "azure-core-amqp" % "2.12.0").exclude("org.slf4j", "slf4j-api"),
    protonJ,
    ("com.azure" % "azure-identity" % "1.18.4")
      .exclude("com.azure", "azure-core-http-netty")
      .exclude("org.slf4j", "slf4j-api"),
    ("com.azure" % "azure-core-http-jdk-httpclient" % "1.1.4").exclude("org.slf4j", "slf4j-api")
  )

  /** The official event processor's store, for tests. It brings another HTTP client, which would bring netty. */
  val checkpointStore: ModuleID = ("com.azure" % "azure-messaging-eventhubs-checkpointstore-blob" % "1.21.5")
    .exclude("com.azure", "azure-core-http-netty")
    .exclude("org.slf4j", "slf4j-api")

  /** The official clients of the schema registry, for tests. */
  val schemaRegistry: Seq[ModuleID] = Seq(
    "com.azure" % "azure-data-schemaregistry" % "1.5.2",
    "com.azure" % "azure-data-schemaregistry-apacheavro" % "1.1.23"
  ).map(_.exclude("com.azure", "azure-core-http-netty").exclude("org.slf4j", "slf4j-api"))

  /** A client of the local hub, for tests. */
  val qpidJms: ModuleID = "org.apache.qpid" % "qpid-jms-client" % "2.9.0"

  val slf4jApi: ModuleID = "org.slf4j" % "slf4j-api" % "2.0.17"
  val slf4jSimple: ModuleID = "org.slf4j" % "slf4j-simple" % "2.0.17"
  val picocli: ModuleID = "info.picocli" % "picocli" % "4.7.7"
  val ujson: ModuleID = "com.lihaoyi" %% "ujson" % "4.3.2"
  val scalaTest: ModuleID = "org.scalatest" %% "scalatest" % "3.2.19"
}
