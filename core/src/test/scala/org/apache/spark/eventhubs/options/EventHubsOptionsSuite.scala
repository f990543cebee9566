package org.apache.spark.eventhubs.options

import testkit.TestSuite

/** Rules for every entry of the option table. */
class EventHubsOptionsSuite extends TestSuite {

  private val names = EventHubsOptions.all.flatMap(option => option.key +: option.aliases).map(_.toLowerCase)

  test("no two options share a name") {
    assert(names.distinct == names)
  }

  test("canonical keys have the prefix, and no option is also a legacy option") {
    assert(EventHubsOptions.all.forall(_.key.startsWith("eventhubs.")))
    assert(EventHubsOptions.all.forall(option => LegacyOptions.find(option.key).isEmpty))
    assert(LegacyOptions.all.forall(_._1.toLowerCase.startsWith("eventhubs.")))
  }

  test("every declared option is in the table once, and the table has no other option") {
    val declared =
      Seq(ConnectionOptions, CheckpointStoreOptions, ReadOptions, WriteOptions, RegistryOptions)
        .flatMap(declaredOptions).map(_.key)
    val table = EventHubsOptions.all.map(_.key)
    assert(declared.diff(table) == Nil, "declared, but not in the table")
    assert(table.diff(declared) == Nil, "in the table, but not declared, or there twice")
  }

  /** The values of all `val`s of type EventHubsOption, by reflection, so that a test does not need a second list. */
  private def declaredOptions(group: AnyRef): Seq[EventHubsOption[_]] =
    group.getClass.getDeclaredFields.toSeq
      .filter(field => field.getType == classOf[EventHubsOption[_]])
      .map { field =>
        field.setAccessible(true)
        field.get(group).asInstanceOf[EventHubsOption[_]]
      }

  EventHubsOptions.all.foreach(option => test(s"the entry of ${option.key} is complete")(assertComplete(option)))

  private def assertComplete[A](option: EventHubsOption[A]): Unit = {
    option.default.foreach(value => assert(option.valueType.parse(option.valueType.render(value)) == Right(value)))
    assert(option.doc.endsWith("."), "the doc is a sentence")
    assert(
      option.default.isEmpty || option.whenUnset.isEmpty,
      "an option has a default or a text for its absence, not both"
    )
    assert(EventHubsOptions.find(option.key.toUpperCase).contains(option))
  }
}
