package localhub.amqp.sdk

import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpException}
import com.azure.messaging.eventhubs.EventHubConsumerAsyncClient
import com.azure.messaging.eventhubs.models.{EventPosition, ReceiveOptions}

import localhub.amqp.{HubFixture, Subscription}
import testkit.TestSuite

/** Rules for readers of the same partition, and the errors in the official Java SDK. */
class ReaderRulesSuite extends TestSuite with HubFixture {

  private def open(
      client: EventHubConsumerAsyncClient,
      partition: String = "0",
      epoch: Option[Long] = None
  ): Subscription = {
    val options = new ReceiveOptions()
    epoch.foreach(level => options.setOwnerLevel(level))
    subscribe(client, partition, EventPosition.earliest(), options)
  }

  /** An open reader: it has received the one event. */
  private def reading(client: EventHubConsumerAsyncClient, partition: String = "0", epoch: Option[Long] = None) = {
    val subscription = open(client, partition, epoch)
    subscription.next()
    subscription
  }

  private def amqpError(subscription: Subscription): AmqpException = subscription.error().asInstanceOf[AmqpException]

  test("five readers share a partition and group; the sixth is refused until one closes") {
    send("0", "a")
    val client = consumer()
    val five = Seq.fill(5)(reading(client))
    val error = amqpError(open(client))
    assert(error.getErrorCondition == AmqpErrorCondition.RESOURCE_LIMIT_EXCEEDED && !error.isTransient)
    assert(
      error.getMessage.contains("maximum number of allowed receivers per partition in a consumer group which is 5")
    )
    reading(consumer(group = "cg1"))
    send("1", "b")
    reading(client, "1")
    closeAll(five.take(1))
    eventually("one reader is closed")(server.readers.count(r =>
      r.partition == "0" && r.consumerGroup == "$Default"
    ) == 4)
    reading(client)
  }

  test("a reader with an epoch disconnects readers without one, and new ones are refused") {
    send("0", "a")
    val plain = reading(consumer())
    reading(consumer(), epoch = Some(0))
    val stolen = amqpError(plain)
    assert(stolen.getErrorCondition == AmqpErrorCondition.LINK_STOLEN && !stolen.isTransient)
    assert(
      stolen.getMessage.contains("New receiver") && stolen.getMessage.contains("with higher epoch of '0' is created")
    )
    val refused = amqpError(open(consumer()))
    assert(refused.getErrorCondition == AmqpErrorCondition.LINK_STOLEN)
    assert(refused.getMessage.contains("At least one receiver for the endpoint is created with epoch of '0'"))
  }

  test("a higher or equal epoch takes over, a lower one is refused") {
    send("0", "a")
    val first = reading(consumer(), epoch = Some(1))
    val second = reading(consumer(), epoch = Some(2))
    assert(amqpError(first).getMessage.contains("with higher epoch of '2' is created hence current receiver"))
    val lower = amqpError(open(consumer(), epoch = Some(1)))
    assert(lower.getErrorCondition == AmqpErrorCondition.LINK_STOLEN)
    assert(lower.getMessage.contains("with a higher epoch '2' already exists"))
    reading(consumer(), epoch = Some(2))
    assert(amqpError(second).getErrorCondition == AmqpErrorCondition.LINK_STOLEN)
  }

  test("an epoch applies to its partition and group only") {
    send("0", "a")
    send("1", "b")
    reading(consumer(), epoch = Some(9))
    reading(consumer(), "1")
    reading(consumer(group = "cg1"))
    assert(server.readers.map(_.epoch).count(_.contains(9L)) == 1)
  }

  test("readers of a recreated hub are independent of those of the old one") {
    send("0", "a")
    val old = reading(consumer(), epoch = Some(5))
    namespace.delete("hub1")
    namespace.create("hub1", 4)
    assert(amqpError(old).getErrorCondition == AmqpErrorCondition.NOT_FOUND)
    send("0", "b")
    assert(reading(consumer()).received.isEmpty)
  }

  test("runtime metrics report the end of the partition with each event") {
    send("0", "a", "b", "c")
    val subscription =
      subscribe(
        consumer(),
        "0",
        EventPosition.earliest(),
        new ReceiveOptions().setTrackLastEnqueuedEventProperties(true)
      )
    val event = subscription.next()
    val last = event.getLastEnqueuedEventProperties
    val properties = producer().getPartitionProperties("0")
    assert(event.getData.getSequenceNumber == 0L && last.getSequenceNumber == 2L)
    assert(last.getOffsetString == properties.getLastEnqueuedOffset)
    assert(last.getEnqueuedTime == properties.getLastEnqueuedTime && last.getRetrievalTime != null)
  }

  private def closeAll(subscriptions: Seq[Subscription]): Unit = subscriptions.foreach(_.close())
}
