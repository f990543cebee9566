package org.apache.spark.eventhubs.options

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.eventhubs.EventHubsException

class OptionsCheckSuite extends AnyFunSuite {

  private def refused(options: (String, String)*): EventHubsException =
    intercept[EventHubsException](OptionsCheck(options.toMap))

  test("keys are known in any case and by their aliases") {
    val checked = OptionsCheck(Map("EVENTHUBS.prefetchcount" -> "5", "maxeventspertrigger" -> "7"))
    assert(checked.explicit(ReadOptions.PrefetchCount).contains(5))
    assert(checked.explicit(ReadOptions.MaxEventsPerTrigger).contains(7L))
    assert(checked.warnings.isEmpty)
  }

  test("keys without our prefix are Spark's or the user's, and pass without a word") {
    val checked =
      OptionsCheck(Map("path" -> "x", "checkpointLocation" -> "y", "inferSchema" -> "true", "ehName" -> "z"))
    assert(checked.texts.isEmpty && checked.warnings.isEmpty)
  }

  test("an unknown key under our prefix is refused with the nearest one") {
    assert(refused("eventhubs.prefechCount" -> "5").getMessage ==
      "[EVENTHUBS_UNKNOWN_OPTION] 'eventhubs.prefechCount' is not an option. Did you mean 'eventhubs.prefetchCount'? " +
      "'eventhubs.ignoreUnknownOptions' = 'true' lets it pass.")
  }

  test("an unknown key that is like no other is refused with a place to look") {
    assert(refused("eventhubs.flux" -> "5").getMessage.contains("docs/options.md"))
  }

  test("ignoreUnknownOptions warns instead, of legacy options too") {
    val checked = OptionsCheck(Map(
      "eventhubs.ignoreUnknownOptions" -> "true",
      "eventhubs.prefechCount" -> "5",
      "eventhubs.metricPlugin" -> "com.contoso.Metrics"
    ))
    assert(checked.warnings.size == 2)
    assert(checked.warnings.exists(_.contains("'eventhubs.prefetchCount' is one")))
  }

  test("one option under two names must have one value") {
    assert(OptionsCheck(Map("maxEventsPerTrigger" -> "5", "eventhubs.maxEventsPerTrigger" -> "5 ")).texts.size == 1)
    val error = refused("maxEventsPerTrigger" -> "5", "eventhubs.maxEventsPerTrigger" -> "6")
    assert(error.getCondition == "EVENTHUBS_CONFLICTING_OPTIONS")
    assert(error.getMessage.contains("'maxEventsPerTrigger'") && error.getMessage.contains("'6'"))
  }

  test("a contradiction between two secrets does not show them") {
    val error = refused("eventhubs.connectionString" -> "secret-one", "EVENTHUBS.connectionString" -> "secret-two")
    assert(!error.getMessage.contains("secret-"))
  }

  test("a key whose value is null, as Python's None arrives, is not set") {
    assert(OptionsCheck(Map[String, String]("eventhubs.prefetchCount" -> null, "eventhubs.flux" -> null)).texts.isEmpty)
  }

  test("legacy options that change nothing are warned of") {
    val checked = OptionsCheck(Map("eventhubs.threadPoolSize" -> "16", "eventhubs.setUseExclusiveReceiver" -> "False"))
    assert(checked.warnings.size == 2)
    assert(checked.warnings.exists(_.startsWith("'eventhubs.threadPoolSize' is no longer needed")))
  }

  test("legacy options that asked for something else are refused with what to use") {
    val error = refused("eventhubs.aadAuthCallback" -> "com.contoso.Callback")
    assert(error.getCondition == "EVENTHUBS_UNSUPPORTED_OPTION")
    assert(error.getMessage.contains("'eventhubs.auth.type'"))
    assert(refused("eventhubs.useAadAuth" -> "true").getCondition == "EVENTHUBS_UNSUPPORTED_OPTION")
  }

  test("a legacy option that was switched off asks for nothing") {
    assert(OptionsCheck(Map("eventhubs.useAadAuth" -> "False")).warnings.isEmpty)
  }
}
