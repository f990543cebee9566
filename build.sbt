import Dependencies._

inThisBuild(Release.build)
ThisBuild / scalaVersion := scala213
ThisBuild / semanticdbEnabled := true
ThisBuild / semanticdbVersion := semanticdb

// Packages that Spark needs opened on JDK 17. spark-submit passes the same list.
val sparkOpens = Seq(
  "java.base/java.lang",
  "java.base/java.lang.invoke",
  "java.base/java.lang.reflect",
  "java.base/java.io",
  "java.base/java.net",
  "java.base/java.nio",
  "java.base/java.util",
  "java.base/java.util.concurrent",
  "java.base/java.util.concurrent.atomic",
  "java.base/sun.nio.ch",
  "java.base/sun.nio.cs",
  "java.base/sun.security.action",
  "java.base/sun.util.calendar"
).map(name => s"--add-opens=$name=ALL-UNNAMED")

/** The JVMs of tests live for minutes. Without these, the second compiler takes almost half of their CPU time. */
val quickStart = Seq("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")

lazy val testFolder = taskKey[File]("Folder for files that tests write. It is emptied before they run.")

/** `TESTS=long` runs the suites of `make test-long`, `TESTS=all` every suite. Without it, all other suites run. */
lazy val tier: Seq[String] = sys.env.get("TESTS") match {
  case Some("all") => Nil
  case Some("long") => Seq("-n", "testkit.LongTest")
  case _ => Seq("-l", "testkit.LongTest")
}

// Most suites wait most of the time, so two groups of suites run at the same time, each in its own JVM.
Global / concurrentRestrictions := Seq(Tags.limitAll(2), Tags.limit(Tags.ForkedTestGroup, 2))

/**
 * scalafix lets warnings pass, so that it can fix what they name. `make lint` fixes nothing: with `LINT` it compiles as
 * every other command does, which then finds its classes instead of compiling all sources again.
 */
def sameOptionsInLint(configurations: Configuration*): Seq[Setting[_]] =
  if (sys.env.contains("LINT")) configurations.map(in => in / compile / scalacOptions := (in / scalacOptions).value)
  else Nil

lazy val common = Seq(
  testFolder := {
    val folder = target.value / "test-files"
    IO.delete(folder)
    IO.createDirectory(folder)
    folder
  },
  scalacOptions ++= Seq(
    "-encoding",
    "utf8",
    "-deprecation",
    "-feature",
    "-unchecked",
    "-release:17",
    "-Xlint:_,-byname-implicit,-infer-any",
    "-Wunused:_",
    "-Wvalue-discard",
    "-Wdead-code",
    "-Xfatal-warnings"
  ),
  Test / scalacOptions -= "-Wvalue-discard",
  Test / fork := true,
  Test / javaOptions ++= quickStart ++
    Seq("-Xmx2g", "-Dfile.encoding=UTF-8", s"-Djava.io.tmpdir=${testFolder.value}"),
  Test / testOptions += Tests.Argument(TestFrameworks.ScalaTest, "-oDF" +: tier: _*),
  // The base class and the `eventually` of all suites, compiled for each Scala version.
  Test / unmanagedSourceDirectories += (LocalRootProject / baseDirectory).value / "testkit",
  libraryDependencies += scalaTest % Test
) ++ sameOptionsInLint(Compile, Test)

/** `src/it`: suites that need a hub, a socket, another process or a Spark job. `src/test` needs none of them. */
lazy val It = config("it").extend(Test)

lazy val integrationTests = Seq(
  inConfig(It)(Defaults.testSettings),
  org.scalafmt.sbt.ScalafmtPlugin.scalafmtConfigSettings(It),
  scalafixConfigSettings(It),
  // Includes the provided dependencies, as in Test.
  Seq(It / externalDependencyClasspath := (Test / externalDependencyClasspath).value),
  sameOptionsInLint(It)
).flatten

/** Packages of core's `It` that take about a third of its time each. The others take the last third. */
val thirds = Seq(Seq("exactlyonce", "realtime"), Seq("cluster", "sink", "source"))

lazy val localhub = project
  .configs(It)
  .settings(common, integrationTests)
  .settings(
    name := "spark-eventhubs-localhub",
    description := "A local server that speaks the protocol of Azure Event Hubs, for development and tests.",
    libraryDependencies ++= Seq(protonJ, slf4jApi, picocli, ujson, slf4jSimple % Runtime),
    // Only for the conformance suites: the official SDK and Qpid JMS as clients.
    libraryDependencies ++= (azure ++ schemaRegistry :+ qpidJms).map(_ % Test),
    Compile / mainClass := Some("localhub.Main"),
    Release.artifact,
    assembly / assemblyJarName := "spark-eventhubs-localhub.jar",
    assembly / assemblyMergeStrategy := {
      // Module descriptors of bundled jars do not describe this jar.
      case path if path.endsWith("module-info.class") => MergeStrategy.discard
      case path => (assembly / assemblyMergeStrategy).value(path)
    }
  )

/** Classes of older Spark versions that the jars support. They are on no class path. */
lazy val Spark35 = config("spark-3.5").hide
lazy val Spark40 = config("spark-4.0").hide
lazy val Spark41 = config("spark-4.1").hide

lazy val core = project
  .configs(Spark35, Spark40, Spark41, It)
  .settings(common, integrationTests)
  .dependsOn(localhub % Test)
  .settings(
    name := "spark-eventhubs",
    description := "Azure Event Hubs for Apache Spark 4: structured streaming, batch reads and writes.",
    libraryDependencies ++= azure :+ (spark4 % Provided) :+ (checkpointStore % Test),
    Compile / unmanagedSourceDirectories += (Compile / sourceDirectory).value / "spark-4",
    Test / unmanagedSourceDirectories += (Test / sourceDirectory).value / "spark-4",
    // Otherwise each class gets a forwarder for every default method of Spark's interfaces, also for methods that the
    // oldest supported Spark lacks. The types of such methods are missing there, so reflection on the class would fail.
    scalacOptions += "-Xmixin-force-forwarders:false",
    ivyConfigurations ++= Seq(Spark35, Spark40, Spark41),
    libraryDependencies ++= olderSparks(Spark35, Spark40, Spark41),
    Test / javaOptions ++= sparkOpens,
    Test / javaOptions ++= Seq(
      s"-Dconnector.classes=${(Compile / classDirectory).value}",
      s"-Dconnector.classes-3.5=${(LocalProject("spark35") / Compile / products).value.mkString(java.io.File.pathSeparator)}"
    ),
    Test / javaOptions ++= {
      val resolved = update.value
      Seq(Spark35, Spark40, Spark41).map { spark =>
        s"-D${spark.name}=${resolved.select(configurationFilter(spark.name)).mkString(java.io.File.pathSeparator)}"
      }
    },
    It / testGrouping := {
      val jvm = Tests.SubProcess((It / forkOptions).value)
      (It / definedTests).value
        .groupBy(suite => thirds.indexWhere(_.exists(name => suite.name.contains(s".eventhubs.$name."))))
        .map { case (third, suites) => new Tests.Group(s"third ${third + 2}", suites, jvm, Nil) }
        .toSeq
    },
    Release.artifact,
    Jar.connector
  )

/**
 * Suites of code that takes only a log and a clock from Spark. They run with Spark 4, and with Spark 3.5 too when
 * `TESTS=all`, in `make test-long`.
 */
val withoutSpark = ".*/(com/azure|org/apache/spark/eventhubs/(?!credentials/|executor/|rdd/)\\w+)/.*Suite\\.scala"

/** The same connector for Spark 3.5. It has counterparts of the files in core's folders `spark-4`. */
lazy val spark35 = (project in file("core/spark-3.5"))
  .disablePlugins(ScalafixPlugin)
  .settings(common)
  .settings(
    name := "spark-eventhubs",
    description := "Azure Event Hubs for Apache Spark 3.5: structured streaming, batch reads and writes.",
    scalaVersion := scala212,
    // The linter has no compiler plug-in for this Scala version. It checks the same sources with 2.13.
    semanticdbEnabled := false,
    scalacOptions := Seq(
      "-encoding",
      "utf8",
      "-deprecation",
      "-feature",
      "-unchecked",
      "-release:11",
      "-Xfatal-warnings"
    ),
    libraryDependencies ++= azure :+ (Dependencies.spark35 % Provided) :+ (sparkAvro35 % Provided) :+
      (jacksonScala % Test),
    Compile / unmanagedSourceDirectories += (core / Compile / sourceDirectory).value / "scala",
    Compile / unmanagedResourceDirectories += (core / Compile / resourceDirectory).value,
    Test / unmanagedSourceDirectories += (core / Test / sourceDirectory).value / "scala",
    Test / unmanagedSourceDirectories += (core / Test / sourceDirectory).value / "java",
    Test / unmanagedSources := (Test / unmanagedSources).value
      .filterNot(source => tier.nonEmpty && source.toPath.toUri.getPath.matches(withoutSpark)),
    Test / unmanagedResourceDirectories += (core / Test / resourceDirectory).value,
    Test / javaOptions ++= sparkOpens,
    Release.artifact,
    Jar.connector
  )

lazy val brokerClasspath = taskKey[String]("Class path of the Kafka broker.")

/** Jars of the Kafka broker. It runs in its own process, so they are not on the benchmarks' class path. */
lazy val Broker = config("broker").hide

lazy val benchmarks = project
  .enablePlugins(JmhPlugin)
  .settings(common)
  .dependsOn(core, localhub)
  .configs(Broker)
  .settings(
    publish / skip := true,
    ivyConfigurations += Broker,
    libraryDependencies ++= spark4 +: kafkaBroker % Broker +: sparkKafka,
    // Spark contains its own logging backend.
    excludeDependencies += ExclusionRule("org.slf4j", "slf4j-simple"),
    Compile / mainClass := Some("benchmarks.Main"),
    brokerClasspath := update.value.select(configurationFilter(Broker.name)).mkString(java.io.File.pathSeparator),
    // Programs use the connector's jar as users get it. Micro-benchmarks use its classes, whose names are not
    // relocated.
    Jmh / fullClasspathAsJars := (Jmh / fullClasspath).value.filter(_.data.exists),
    run / fork := true,
    run / baseDirectory := (LocalRootProject / baseDirectory).value,
    run / javaOptions ++= sparkOpens ++ Seq("-Xmx2g", s"-Dbroker.classpath=${brokerClasspath.value}")
  )

/** The connector under a virtual clock: docs/internals/simulation.md. */
lazy val sim = project
  .settings(common)
  .dependsOn(core)
  .settings(
    publish / skip := true,
    libraryDependencies ++= Seq(spark4, "org.scala-lang" % "scala-compiler" % scalaVersion.value),
    Compile / mainClass := Some("org.apache.spark.sql.eventhubs.sim.Main"),
    run / fork := true,
    // sbt takes jars for `run`, and core's jar has other names of the classes that it calls.
    Runtime / fullClasspathAsJars := (Runtime / fullClasspath).value,
    run / baseDirectory := (LocalRootProject / baseDirectory).value,
    run / javaOptions ++= sparkOpens ++ Seq("-Xmx1g", "-XX:+UseSerialGC"),
    Test / javaOptions ++= sparkOpens
  )

lazy val root = (project in file("."))
  .aggregate(core, spark35, localhub, benchmarks, sim)
  .settings(name := "spark-eventhubs-root", publish / skip := true)
