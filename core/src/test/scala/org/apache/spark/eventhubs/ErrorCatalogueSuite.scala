package org.apache.spark.eventhubs

import org.scalatest.funsuite.AnyFunSuite

class ErrorCatalogueSuite extends AnyFunSuite {

  test("every condition has our prefix, a message and an SQL state") {
    assert(ErrorCatalogue.entries.nonEmpty)
    ErrorCatalogue.entries.foreach { case (condition, entry) =>
      assert(condition.matches("EVENTHUBS(_[A-Z]+)+(\\.[A-Z_]+)?"), condition)
      assert(entry.template.trim.nonEmpty, condition)
      assert(entry.sqlState.matches("[0-9A-Z]{5}"), condition)
    }
  }

  test("a parameter that looks like another's name, or like a reference of a regular expression, stays what it is") {
    val message = ErrorCatalogue.message(
      "EVENTHUBS_INVALID_OPTION",
      Map("key" -> "k", "value" -> "<expected> $1 \\", "expected" -> "a number")
    )
    assert(message == "[EVENTHUBS_INVALID_OPTION] 'k' is '<expected> $1 \\'; expected a number.")
  }

  test("an exception tells programs its condition, state and parameters") {
    val error = EventHubsErrors.invalidOption("eventhubs.prefetchCount", "many", "a whole number")
    assert(error.getCondition == "EVENTHUBS_INVALID_OPTION")
    assert(error.getSqlState == "42616")
    assert(error.getMessageParameters.get("value") == "many")
  }
}
