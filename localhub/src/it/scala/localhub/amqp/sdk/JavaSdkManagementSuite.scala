package localhub.amqp.sdk

import java.time.Instant

import scala.jdk.CollectionConverters._

import localhub.amqp.HubFixture
import testkit.TestSuite

/** Hub and partition properties in the official Java SDK. */
class JavaSdkManagementSuite extends TestSuite with HubFixture {

  test("hub properties have the name, the creation time and the partitions") {
    val properties = producer().getEventHubProperties
    assert(properties.getName == "hub1")
    assert(properties.getPartitionIds.iterator.asScala.toSeq == Seq("0", "1", "2", "3"))
    assert(java.time.Duration.between(properties.getCreatedAt, Instant.now).toMinutes == 0)
  }

  test("a partition that never had an event begins at 0 and ends at -1") {
    val properties = producer().getPartitionProperties("3")
    assert(properties.isEmpty)
    assert(properties.getBeginningSequenceNumber == 0 && properties.getLastEnqueuedSequenceNumber == -1)
    assert(properties.getLastEnqueuedOffset == "-1")
  }

  test("partition properties reflect sent and trimmed events") {
    send("2", "a", "b", "c")
    namespace.find("hub1").foreach(_.partitions(2).trimBefore(1))
    val properties = producer().getPartitionProperties("2")
    val last = read("2", 2).last.getData
    assert(!properties.isEmpty)
    assert(properties.getBeginningSequenceNumber == 1 && properties.getLastEnqueuedSequenceNumber == 2)
    assert(properties.getLastEnqueuedOffset == last.getOffsetString)
    assert(properties.getLastEnqueuedTime == last.getEnqueuedTime)
  }
}
