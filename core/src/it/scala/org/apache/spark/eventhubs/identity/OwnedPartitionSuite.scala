package org.apache.spark.eventhubs.identity

import com.azure.messaging.eventhubs.EventHubClientBuilder
import com.azure.messaging.eventhubs.models.{EventPosition, ReceiveOptions}

import org.apache.spark.eventhubs.HubFixture
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import testkit.TestSuite

class OwnedPartitionSuite extends TestSuite with HubFixture {

  test("a check of the sign-in leaves the reader that owns a partition alone") {
    val name = newHub(1)
    val string = localHub.connectionString(name)
    def readers = localHub.amqp.readers.filter(_.hub == name).map(_.name)
    val owner =
      new EventHubClientBuilder().connectionString(string).consumerGroup("$Default").buildAsyncConsumerClient()
    try {
      val level = new ReceiveOptions().setOwnerLevel(5L)
      val reading = owner.receiveFromPartition("0", EventPosition.latest(), level).subscribe()
      eventually("the owner reads")(readers.size == 1)
      val before = readers
      val options = Map("eventhubs.connectionString" -> string, "eventhubs.ownerLevel" -> "5")
      val report = new SignInCheck(ReadSettings.parse(options, ReadMode.Batch)).report()
      assert(report.listen == Admission(None) && report.send == Admission(None))
      assert(readers == before)
      reading.dispose()
    } finally owner.close()
  }
}
