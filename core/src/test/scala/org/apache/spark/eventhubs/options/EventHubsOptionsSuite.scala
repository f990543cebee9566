package org.apache.spark.eventhubs.options

import org.scalatest.funsuite.AnyFunSuite

/** What must hold for every entry of the table. */
class EventHubsOptionsSuite extends AnyFunSuite {

  private val names = EventHubsOptions.all.flatMap(option => option.key +: option.aliases).map(_.toLowerCase)

  test("no two options share a name") {
    assert(names.distinct == names)
  }

  test("canonical keys have our prefix, and no option is also a former one") {
    assert(EventHubsOptions.all.forall(option => EventHubsOptions.isOurs(option.key)))
    assert(EventHubsOptions.all.forall(option => LegacyOptions.find(option.key).isEmpty))
    assert(LegacyOptions.all.forall { case (key, _) => EventHubsOptions.isOurs(key) })
  }

  EventHubsOptions.all.foreach(option => test(s"${option.key} is whole")(assertWhole(option)))

  private def assertWhole[A](option: EventHubsOption[A]): Unit = {
    option.default.foreach(value => assert(option.valueType.parse(option.valueType.render(value)) == Right(value)))
    assert(option.doc.endsWith("."), "the doc is a sentence")
    assert(option.default.isEmpty || option.whenUnset.isEmpty, "a default says what happens when it is unset")
    assert(option.since.matches("\\d+\\.\\d+\\.\\d+"))
    assert(EventHubsOptions.find(option.key.toUpperCase).contains(option))
  }
}
