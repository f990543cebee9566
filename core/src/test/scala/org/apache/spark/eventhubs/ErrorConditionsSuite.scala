package org.apache.spark.eventhubs

import testkit.TestSuite

class ErrorConditionsSuite extends TestSuite {

  test("every condition has the prefix, a message and an SQL state") {
    assert(ErrorConditions.entries.nonEmpty)
    ErrorConditions.entries.foreach { case (condition, entry) =>
      assert(condition.matches("EVENTHUBS(_[A-Z]+)+(\\.[A-Z_]+)?"), condition)
      assert(entry.template.trim.nonEmpty, condition)
      assert(entry.sqlState.matches("[0-9A-Z]{5}"), condition)
    }
  }

  test("a parameter that looks like a placeholder or a group reference is not replaced") {
    val message = ErrorConditions.message(
      "EVENTHUBS_INVALID_OPTION",
      Map("key" -> "k", "value" -> "<expected> $1 \\", "expected" -> "a number")
    )
    assert(message == "[EVENTHUBS_INVALID_OPTION] 'k' is '<expected> $1 \\'; expected a number.")
  }

  test("an exception has a condition, an SQL state and parameters for programs") {
    val error = EventHubsErrors.invalidOption("eventhubs.prefetchCount", "many", "a whole number")
    assert(error.getCondition == "EVENTHUBS_INVALID_OPTION")
    assert(error.getSqlState == "42616")
    assert(error.getMessageParameters.get("value") == "many")
  }
}
