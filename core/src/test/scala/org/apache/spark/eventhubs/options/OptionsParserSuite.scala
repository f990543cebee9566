package org.apache.spark.eventhubs.options

import org.apache.spark.eventhubs.EventHubsException
import testkit.TestSuite

class OptionsParserSuite extends TestSuite {

  private def refused(options: (String, String)*): EventHubsException =
    intercept[EventHubsException](OptionsParser.parse(options.toMap))

  test("options are found by key in any case and by alias") {
    val parsed = OptionsParser.parse(Map("EVENTHUBS.prefetchcount" -> "5", "maxeventspertrigger" -> "7"))
    assert(parsed.explicit(ReadOptions.PrefetchCount).contains(5))
    assert(parsed.explicit(ReadOptions.MaxEventsPerTrigger).contains(7L))
    assert(parsed.warnings.isEmpty)
  }

  test("keys without the prefix belong to Spark or the user, and are ignored") {
    val parsed =
      OptionsParser.parse(Map("path" -> "x", "checkpointLocation" -> "y", "inferSchema" -> "true", "ehName" -> "z"))
    assert(parsed.texts.isEmpty && parsed.warnings.isEmpty)
  }

  test("an unknown key with the prefix is rejected, and the error suggests the nearest key") {
    assert(refused("eventhubs.prefechCount" -> "5").getMessage ==
      "[EVENTHUBS_UNKNOWN_OPTION] 'eventhubs.prefechCount' is not an option. Did you mean 'eventhubs.prefetchCount'? " +
      "To ignore it, set 'eventhubs.ignoreUnknownOptions' = 'true'.")
  }

  test("an option without its prefix is rejected, and the error has the right spelling") {
    assert(refused("consumerGroup" -> "dashboards").getMessage ==
      "[EVENTHUBS_UNKNOWN_OPTION] 'consumerGroup' is not an option. Did you mean 'eventhubs.consumerGroup'? " +
      "To ignore it, set 'eventhubs.ignoreUnknownOptions' = 'true'.")
    assert(refused("maxEventPerTrigger" -> "5").getMessage.contains("Did you mean 'eventhubs.maxEventsPerTrigger'?"))
  }

  test("an option of Spark's Kafka source is rejected, and the error names the option to use") {
    assert(refused("startingOffsets" -> "earliest").getMessage ==
      "[EVENTHUBS_UNKNOWN_OPTION] 'startingOffsets' is not an option. Spark's Kafka connector has it. Here: Set " +
      "'eventhubs.startingPosition', or 'eventhubs.startingPositions' for single partitions. " +
      "To ignore it, set 'eventhubs.ignoreUnknownOptions' = 'true'.")
  }

  test("a name that many sources have passes with a warning, because options may be shared with them") {
    assert(OptionsParser.parse(Map("Name" -> "daily", "partition" -> "2024-01-31", "topic" -> "news")).warnings == Seq(
      "'Name' is not an option and has no effect; did you mean 'eventhubs.name'?",
      "'partition' is not an option and has no effect; did you mean 'eventhubs.partitions'?",
      "'topic' is an option of Spark's Kafka connector and has no effect. Set 'eventhubs.name', or EntityPath in " +
        "'eventhubs.connectionString'."
    ))
  }

  test("with ignoreUnknownOptions, names without prefix and Kafka's options give warnings") {
    val parsed = OptionsParser.parse(
      Map("eventhubs.ignoreUnknownOptions" -> "true", "consumerGroup" -> "a", "subscribe" -> "b", "path" -> "c")
    )
    assert(parsed.warnings == Seq(
      "'consumerGroup' is not an option and has no effect; did you mean 'eventhubs.consumerGroup'?",
      "'subscribe' is an option of Spark's Kafka connector and has no effect. Set 'eventhubs.name', or EntityPath in " +
        "'eventhubs.connectionString'."
    ))
  }

  test("an unknown key without a near key is rejected, and the error names the reference page") {
    assert(refused("eventhubs.flux" -> "5").getMessage.contains("docs/options.md"))
  }

  test("with ignoreUnknownOptions, unknown and legacy options give warnings") {
    val parsed = OptionsParser.parse(Map(
      "eventhubs.ignoreUnknownOptions" -> "true",
      "eventhubs.prefechCount" -> "5",
      "eventhubs.metricPlugin" -> "com.contoso.Metrics"
    ))
    assert(parsed.warnings.size == 2)
    assert(parsed.warnings.exists(_.contains("did you mean 'eventhubs.prefetchCount'?")))
  }

  test("an option that is set by key and alias must have one value") {
    assert(OptionsParser.parse(Map(
      "maxEventsPerTrigger" -> "5",
      "eventhubs.maxEventsPerTrigger" -> "5 "
    )).texts.size == 1)
    val error = refused("maxEventsPerTrigger" -> "5", "eventhubs.maxEventsPerTrigger" -> "6")
    assert(error.getCondition == "EVENTHUBS_CONFLICTING_OPTIONS")
    assert(error.getMessage.contains("'maxEventsPerTrigger'") && error.getMessage.contains("'6'"))
  }

  test("the error for two different secrets does not show them") {
    val error = refused("eventhubs.connectionString" -> "secret-one", "EVENTHUBS.connectionString" -> "secret-two")
    assert(!error.getMessage.contains("secret-"))
  }

  test("a null value, such as Python's None, counts as not set") {
    assert(OptionsParser.parse(Map[String, String](
      "eventhubs.prefetchCount" -> null,
      "eventhubs.flux" -> null
    )).texts.isEmpty)
  }

  test("a legacy option without effect gives a warning") {
    val parsed =
      OptionsParser.parse(Map("eventhubs.threadPoolSize" -> "16", "eventhubs.setUseExclusiveReceiver" -> "False"))
    assert(parsed.warnings.size == 2)
    assert(parsed.warnings.exists(_.startsWith("'eventhubs.threadPoolSize' is no longer needed")))
  }

  test("a legacy option with another effect is rejected, and the error names the replacement") {
    val error = refused("eventhubs.aadAuthCallback" -> "com.contoso.Callback")
    assert(error.getCondition == "EVENTHUBS_UNSUPPORTED_OPTION")
    assert(error.getMessage.contains("'eventhubs.auth.type'"))
    assert(refused("eventhubs.useAadAuth" -> "true").getCondition == "EVENTHUBS_UNSUPPORTED_OPTION")
  }

  test("a disabled legacy option gives no warning") {
    assert(OptionsParser.parse(Map("eventhubs.useAadAuth" -> "False")).warnings.isEmpty)
  }
}
