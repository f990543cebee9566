package org.apache.spark.eventhubs.client

import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}

/** The service's answer to one attempt to send. */
private[client] final case class OutgoingAnswer(
    shipment: OutgoingShipment,
    producer: EventHubsProducer,
    error: Option[Throwable],
    startedNanos: Long,
    endedNanos: Long
)

/** Where answers arrive, on the SDK's threads, for the task's thread to take. */
private[client] trait OutgoingInbox extends ProducerClock {

  def post(answer: OutgoingAnswer): Unit

  def poll(): Option[OutgoingAnswer]

  /** Waits for an answer, at most so long. */
  def await(nanos: Long): Option[OutgoingAnswer]
}

private[client] object OutgoingInbox {

  def apply(): OutgoingInbox = new OutgoingInbox {
    private val answers = new LinkedBlockingQueue[OutgoingAnswer]

    override def nanoTime: Long = ProducerClock.system.nanoTime
    override def sleep(nanos: Long): Unit = ProducerClock.system.sleep(nanos)
    override def post(answer: OutgoingAnswer): Unit = answers.put(answer)
    override def poll(): Option[OutgoingAnswer] = Option(answers.poll())
    override def await(nanos: Long): Option[OutgoingAnswer] = Option(answers.poll(nanos, TimeUnit.NANOSECONDS))
  }
}
