package org.apache.spark.sql.eventhubs

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.options.EventHubsOptions
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.eventhubs.source.{ReadSparkFixture, RelationSize}
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryException, Trigger}
import testkit.{NotOnStrict, Patience, TestSuite}

/** A hub as a table in Spark's catalog. */
class CatalogTableSuite extends TestSuite with ReadSparkFixture {

  private def withTable(hub: String, more: (String, String)*)(use: String => Unit): Unit = {
    val name = hub.replace('-', '_')
    val listed = options(hub, more: _*).map { case (key, value) => s"'$key' '$value'" }.mkString(", ")
    spark.sql(s"CREATE TABLE $name USING eventhubs OPTIONS ($listed)")
    try use(name)
    finally spark.sql(s"DROP TABLE $name")
  }

  test("SELECT reads a table with the options of its creation") {
    val hub = newHub(2)
    (0 to 1).foreach(fill(hub, _, 0, 10))
    withTable(hub, "eventhubs.startingPosition" -> "5") { table =>
      val rows = spark.sql(s"SELECT CAST(body AS STRING), partition FROM $table WHERE partition = '1'").collect()
      assert(rows.map(_.getString(0)).toSet == names(1, 5, 10))
      assert(spark.table(table).schema == EventHubsSchema.schema)
    }
  }

  test("a table can be read as a V2 stream") {
    val hub = newHub(2)
    (0 to 1).foreach(fill(hub, _, 0, 10))
    withTable(hub, fromStart) { table =>
      val rows = s"of_$table"
      val query =
        runAvailable(spark.readStream.table(table).writeStream.format("memory").queryName(rows), newFolder().toString)
      assert(bodiesOf(spark.table(rows).collect().toSeq).toSet == names(0, 0, 10) ++ names(1, 0, 10))
      assert(query.lastProgress.sources.head.description.startsWith(s"EventHubs[$hub"))
    }
  }

  test("a query's own options are added to the table's, and win") {
    val hub = newHub(1)
    fill(hub, 0, 0, 10)
    withTable(hub, "eventhubs.startingPosition" -> "5", "eventhubs.endingPosition" -> "8") { table =>
      val rows = spark.read.option("eventhubs.startingPosition", "6").table(table).collect()
      assert(bodiesOf(rows.toSeq).toSet == names(0, 6, 8))
    }
  }

  test("a query's option wins over another name of it in the table's") {
    val hub = newHub(1)
    fill(hub, 0, 0, 10)
    withTable(hub, fromStart, "eventhubs.failOnDataLoss" -> "false", "minPartitions" -> "1") { table =>
      val read = spark.read.option("failOnDataLoss", "true").option("eventhubs.minPartitions", "2").table(table)
      assert(bodiesOf(read.collect().toSeq).toSet == names(0, 0, 10) && read.rdd.getNumPartitions == 2)
    }
  }

  test("a table that is joined has the size of its events") {
    val hub = newHub(1)
    send(hub, 0, "x" * 100)
    withTable(hub) { table =>
      assert(spark.table(table).queryExecution.optimizedPlan.stats.sizeInBytes == RelationSize.BytesOfEvent)
    }
  }

  test(
    "the scans of a table share one estimate of its size, however often Spark asks for it",
    NotOnStrict("it counts questions, and refused ones are repeated")
  ) {
    val hub = newHub(16)
    (0 until 16).foreach(fill(hub, _, 0, 2))
    withTable(hub) { table =>
      val before = localHub.amqp.counters.managementCalls
      val joined = spark.sql(
        s"SELECT a.offset FROM $table a JOIN $table b ON a.body = b.body JOIN $table c ON a.body = c.body"
      )
      assert(joined.queryExecution.optimizedPlan.stats.sizeInBytes > 0)
      // One question for each partition and one for the hub.
      assert(localHub.amqp.counters.managementCalls - before <= 17)
    }
  }

  test("a stream can write into a table") {
    val (from, to) = (newHub(1), newHub(1))
    fill(from, 0, 0, 5)
    withTable(to) { table =>
      val query = stream(from, fromStart).select("body").writeStream
        .option("checkpointLocation", newFolder().toString).trigger(Trigger.AvailableNow()).toTable(table)
      assert(query.awaitTermination(Patience.queryMillis))
      assert(bodiesOf(spark.table(table).collect().toSeq).toSet == names(0, 0, 5))
    }
  }

  test("INSERT INTO is refused, and nothing is written") {
    val hub = newHub(1)
    withTable(hub, fromStart) { table =>
      intercept[AnalysisException](spark.sql(s"INSERT INTO $table SELECT CAST('one' AS BINARY) AS body"))
      assert(spark.read.format("eventhubs").options(options(hub, fromStart)).load().isEmpty)
    }
  }

  private def writer(from: String, more: (String, String)*) = stream(from, fromStart).select("body").writeStream
    .options(more.toMap).option("checkpointLocation", newFolder().toString).trigger(Trigger.AvailableNow())

  private def failureOf(query: StreamingQuery): EventHubsException = {
    val failed = intercept[StreamingQueryException](query.awaitTermination(Patience.queryMillis))
    Iterator.iterate[Throwable](failed)(_.getCause).takeWhile(_ != null).collectFirst { case ours: EventHubsException =>
      ours
    }.getOrElse(throw new AssertionError("no EventHubsException is behind this", failed))
  }

  test("a writing query's own options are added to the table's, and win") {
    val (from, to) = (newHub(1), newHub(3))
    fill(from, 0, 0, 5)
    withTable(to, "eventhubs.partitionId" -> "0") { table =>
      val query = writer(from, "eventhubs.partitionId" -> "2").toTable(table)
      assert(query.awaitTermination(Patience.queryMillis))
      assert(bodies(to).collect { case (partition, some) if some.nonEmpty => partition -> some.toSet } ==
        Map(2 -> names(0, 0, 5)))
    }
  }

  test("a misspelt option of a query that writes to a table is refused") {
    val from = newHub(1)
    fill(from, 0, 0, 5)
    withTable(newHub(1)) { table =>
      val failure = failureOf(writer(from, "eventhubs.partitionIdd" -> "0").toTable(table))
      assert(failure.getCondition == "EVENTHUBS_UNKNOWN_OPTION")
    }
  }

  Seq("eventhubs.deliveryGuarantee" -> "exactly-once", "eventhubs.useV1Sink" -> "true").foreach { case (key, value) =>
    test(s"$key = $value is refused for a table, whether the query or the table sets it") {
      val (from, to) = (newHub(1), newHub(1))
      fill(from, 0, 0, 5)
      withTable(to) { table =>
        val failure = failureOf(writer(from, key -> value).toTable(table))
        assert(failure.getCondition == "EVENTHUBS_NOT_FOR_TABLES")
        assert(failure.getMessage.contains(s"'$key'") && failure.getMessage.contains("format(\"eventhubs\")"))
      }
      withTable(to, key -> value) { table =>
        assert(failureOf(writer(from).toTable(table)).getCondition == "EVENTHUBS_NOT_FOR_TABLES")
      }
      assert(bodies(to)(0).isEmpty)
    }
  }

  test("Spark's descriptions of a table have no secret") {
    withTable(newHub()) { table =>
      val key = localHub.connectionString.split("SharedAccessKey=").last.takeWhile(_ != ';')
      Seq(
        s"SHOW CREATE TABLE $table",
        s"DESCRIBE EXTENDED $table",
        s"DESCRIBE FORMATTED $table",
        s"SHOW TABLE EXTENDED LIKE '$table'",
        s"EXPLAIN EXTENDED SELECT * FROM $table",
        s"SHOW TBLPROPERTIES $table"
      ).foreach { statement =>
        val output = spark.sql(statement).collect().mkString("\n")
        assert(!output.contains(key), statement)
      }
    }
  }

  test("Spark redacts all secret options by their names, and a connection string by the key in it") {
    // Their values decide whether they are secret, and SecretRedaction warns of those that Spark shows.
    val byValue = Seq("connectionString", "checkpointStore.container", "checkpointStore.connectionString")
    val secrets = EventHubsOptions.all.filter(_.secret).map(_.key).diff(byValue.map(name => s"eventhubs.$name"))
    assert(secrets.nonEmpty)
    val conf = spark.sessionState.conf
    secrets.foreach(key => assert(conf.redactOptions(Map(key -> "x")) != Map(key -> "x"), key))
    val withKey = Map("eventhubs.connectionString" -> "Endpoint=sb://h/;SharedAccessKeyName=a;SharedAccessKey=b")
    assert(conf.redactOptions(withKey) != withKey)
  }

  test("a connection string with a signature is redacted when Spark is configured to (docs/catalog.md)") {
    val signed = Map("eventhubs.connectionString" -> "Endpoint=sb://h/;SharedAccessSignature=b;EntityPath=t")
    assert(spark.sessionState.conf.redactOptions(signed) == signed, "then the page is out of date")
    val before = spark.conf.get("spark.sql.redaction.options.regex")
    spark.conf.set("spark.sql.redaction.options.regex", "(?i)url|connectionString")
    try assert(spark.sessionState.conf.redactOptions(signed) != signed)
    finally spark.conf.set("spark.sql.redaction.options.regex", before)
  }
}
