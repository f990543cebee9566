package org.apache.spark.sql.eventhubs.exactlyonce

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import localhub.{LocalHubConfig, ServiceSettings}
import testkit.TestSuite

/** A service that grants no idempotent producers, to a write that wants them. */
class IdempotentRefusedSuite extends TestSuite with ExactlyOnceFixture {

  override protected def hubConfig: LocalHubConfig =
    LocalHubConfig(service = ServiceSettings(idempotentProducers = false))

  test("a batch without an answer is looked for in the hub, and each event is stored once") {
    val (hub, rows) = (newHub(), 0 until 5000)
    localHub.faults.inject(
      Fault(FaultAction.DropConnection, Occasion.Stored, FaultScope(hub = Some(hub)), skip = 20, count = Some(2))
    )
    spark.range(0, 5000, 1, 2).selectExpr("cast(id as string) as body").write.format("eventhubs")
      .options(options(hub, exactlyOnce: _*))
      .options(Map(
        "eventhubs.settleDelay" -> "1s",
        "eventhubs.idempotentProducer" -> "true",
        "eventhubs.writeId" -> "refused",
        "eventhubs.writeVersion" -> "1",
        "eventhubs.writeLogLocation" -> newFolder().toString
      ))
      .save()
    assertSame(arrived(hub), rows.map(_.toString))
    val extra = written(hub).values.flatten.flatMap(_.getSystemProperties.keySet.toArray)
    assert(!extra.exists(_.toString.contains("producer")))
  }
}
