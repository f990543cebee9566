package org.apache.spark.eventhubs.executor

import java.time.Instant

import org.apache.spark.SparkEnv
import org.apache.spark.eventhubs.TestSettings
import org.apache.spark.eventhubs.connection.PartitionBounds
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.receive.Proof
import org.apache.spark.eventhubs.service.HubSnapshot
import org.apache.spark.sql.eventhubs.TestSpark
import org.apache.spark.util.ManualClock
import testkit.TestSuite

/** The way of a proof to the driver. */
class DriverLinkSuite extends TestSuite with TestSpark {

  private val created = HubGeneration.CreatedAt(Instant.parse("2024-01-01T00:00:00Z"))

  private class Fixture {
    val clock = new ManualClock(0L)
    val known = new KnownHubs(clock, (work: Runnable) => work.run())
    private val answers = known.open(TestSettings.stream())
    private val state = HubSnapshot(created, Map(0 -> PartitionBounds(0, 5, "", Instant.EPOCH)))
    answers.newest(0, () => ())(_ => state)
    val link = new DriverLink(known, clock)
    def end: Long = answers.newest(0, () => ())(identity[Option[HubSnapshot]](_).get).bounds(0).latest
    def proof(next: Long): Proof = Proof(TestSettings.hub, created, 0, None, next)
  }

  test("in local mode the driver knows at once") {
    spark
    val f = new Fixture
    f.link.send(Seq(f.proof(7), f.proof(6)))
    assert(f.end == 7)
  }

  test("a message of an executor reaches the driver's endpoint; one that it does not know is ignored") {
    spark
    val f = new Fixture
    val env = SparkEnv.get
    f.link.listen(env)
    f.link.listen(env)
    val driver = env.rpcEnv.setupEndpointRef(env.rpcEnv.address, DriverLink.Name)
    try {
      driver.send(Seq("a later version's message"))
      driver.send(DriverLink.message(Seq(f.proof(9))))
      eventually("the driver knows")(f.end == 9)
      new Fixture().link.listen(env)
    } finally env.rpcEnv.stop(driver)
  }
}
