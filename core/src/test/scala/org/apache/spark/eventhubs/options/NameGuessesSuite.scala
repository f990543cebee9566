package org.apache.spark.eventhubs.options

import java.util.Locale

import org.apache.spark.eventhubs.options.NameGuess.{Misspelt, NotOurs, OfKafka}
import testkit.TestSuite

class NameGuessesSuite extends TestSuite {

  private val guesses = new NameGuesses(EventHubsOptions.Prefix, EventHubsOptions.all.map(_.key))

  private def meant(name: String): Option[String] = guesses.of(name) match {
    case Misspelt(nearest) => nearest
    case other => fail(s"$name is $other")
  }

  test("every option without its prefix is recognised, in any case") {
    EventHubsOptions.all.map(_.key).foreach { key =>
      val short = key.drop(EventHubsOptions.Prefix.length)
      assert(meant(short).contains(key))
      assert(meant(short.toUpperCase).contains(key))
    }
  }

  test("the keywords of Python's EventHubsConf are recognised") {
    EventHubsOptions.all.map(_.key).foreach { key =>
      val short = key.drop(EventHubsOptions.Prefix.length)
      val keyword = short.replace('.', '_').replaceAll("([a-z0-9])([A-Z])", "$1_$2").toLowerCase(Locale.ROOT)
      assert(meant(keyword).contains(key), keyword)
    }
    assert(meant("max_retries").contains("eventhubs.retry.maxRetries"))
    assert(meant("fully_qualified_namespace").contains("eventhubs.namespace"))
  }

  test("one or two wrong letters are recognised, with and without the prefix") {
    Seq(
      "maxEventPerTrigger" -> "eventhubs.maxEventsPerTrigger",
      "startingPostion" -> "eventhubs.startingPosition",
      "consumergroups" -> "eventhubs.consumerGroup",
      "eventhubs.prefechCount" -> "eventhubs.prefetchCount",
      "eventhub.consumerGroup" -> "eventhubs.consumerGroup",
      "evenhubs.consumerGroup" -> "eventhubs.consumerGroup",
      "event_hubs.consumerGroup" -> "eventhubs.consumerGroup",
      "spark.eventhubs.connectionString" -> "eventhubs.connectionString",
      "eventHubConnectionString" -> "eventhubs.connectionString",
      "eventHubName" -> "eventhubs.name"
    ).foreach { case (name, key) => assert(meant(name).contains(key), name) }
  }

  test("options of Spark's Kafka source are recognised, and all that has Kafka's prefix") {
    val names = KafkaOptions.all.map(_._1) ++ Seq("STARTINGOFFSETS", "startingOffset", "kafka.ssl.truststore.location")
    names.foreach(name => assert(guesses.of(name).isInstanceOf[OfKafka], name))
    assert(guesses.of("maxOffsetsPerTrigger") == OfKafka("Set 'eventhubs.maxEventsPerTrigger'"))
  }

  test("the replacements of Kafka's options are options") {
    val named = "'(eventhubs[^']+)'".r
    val keys = KafkaOptions.all.flatMap { case (_, instead) => named.findAllMatchIn(instead).map(_.group(1)) }
    assert(keys.nonEmpty && keys.forall(EventHubsOptions.find(_).isDefined))
    assert(KafkaOptions.all.forall { case (name, _) => EventHubsOptions.find(name).isEmpty })
  }

  test("options of Spark and of its other sources, reserved properties of tables, and a user's names pass") {
    val names =
      """path paths header sep delimiter encoding charset quote escape comment inferSchema mode columnNameOfCorruptRecord
        |dateFormat timestampFormat timestampNTZFormat locale multiLine lineSep samplingRatio mergeSchema compression
        |nullValue nanValue emptyValue maxColumns ignoreLeadingWhiteSpace enforceSchema primitivesAsString rowTag
        |pathGlobFilter recursiveFileLookup modifiedBefore modifiedAfter basePath ignoreMissingFiles ignoreCorruptFiles
        |maxFilesPerTrigger latestFirst maxFileAge fileNameOnly cleanSource sourceArchiveDir maxCachedFiles retention
        |checkpointLocation queryName outputMode truncate numRows host port includeTimestamp rowsPerSecond rampUpTime
        |numPartitions url dbtable query driver user password partitionColumn lowerBound upperBound fetchsize batchsize
        |queryTimeout isolationLevel sessionInitStatement createTableOptions pushDownPredicate maxRecordsPerFile
        |startingVersion endingVersion versionAsOf timestampAsOf readChangeFeed ignoreDeletes ignoreChanges overwriteSchema
        |replaceWhere txnAppId txnVersion batchId stateStoreType avroSchema recordName datetimeRebaseMode viewName
        |location provider owner external is_managed_location collation serialization.format
        |option.eventhubs.connectionString ehName telemetry.source team cost-centre""".stripMargin.split("\\s+").toSeq
    assert(names.size > 90)
    assert(names.filterNot(name => guesses.of(name) == NotOurs) == Nil)
  }
}
