package org.apache.spark.eventhubs.connection

import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import org.apache.spark.eventhubs.receive.PrefetchQueue
import org.apache.spark.eventhubs.{EventHubsException, HubFixture}
import testkit.TestSuite

/** The service calls a partition that the hub does not have an argument out of range, not an entity that is missing. */
class UnknownPartitionSuite extends TestSuite with HubFixture {

  test("a partition that the hub does not have is not found, whether a link or the properties say so") {
    val options = Map("eventhubs.connectionString" -> localHub.connectionString(newHub(2)))
    val settings = ReadSettings.parse(options, ReadMode.Stream).connection
    val client = new AzureEventHubsClient(settings)
    try {
      val properties = intercept[EventHubsException](client.partitionBounds(Seq(7)))
      val queue = new PrefetchQueue(10)
      client.subscribe(ReceiveLink("$Default", 7, 0, None), queue)
      queue.request(1)
      eventually("the link is refused")(queue.ended.nonEmpty)
      val link = queue.ended match {
        case Some(PrefetchQueue.Ending.Failed(error)) => error
        case other => fail(s"the link ended with $other")
      }
      Seq(properties, SdkErrors.translate(link, settings.hub, "reading partition 7")).foreach { error =>
        assert(error.getCondition == "EVENTHUBS_NOT_FOUND", error)
        assert(error.getMessage.contains("It should be between 0 and 1."))
      }
    } finally client.close()
  }
}
