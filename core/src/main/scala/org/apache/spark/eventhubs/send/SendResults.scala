package org.apache.spark.eventhubs.send

import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}

import org.apache.spark.eventhubs.connection.{EventHubsProducer, ProducerClock}

/** The service's answer to one attempt to send. */
private[eventhubs] final case class SendResult(
    shipment: InFlightBatch,
    producer: EventHubsProducer,
    error: Option[Throwable],
    startedNanos: Long,
    endedNanos: Long
)

/** Where answers arrive, on the SDK's threads, for the task's thread to take. */
private[eventhubs] trait SendResults extends ProducerClock {

  def post(answer: SendResult): Unit

  def poll(): Option[SendResult]

  /** Waits for an answer, at most so long. */
  def await(nanos: Long): Option[SendResult]
}

private[eventhubs] object SendResults {

  def apply(): SendResults = new SendResults {
    private val answers = new LinkedBlockingQueue[SendResult]

    override def nanoTime: Long = ProducerClock.system.nanoTime
    override def sleep(nanos: Long): Unit = ProducerClock.system.sleep(nanos)
    override def post(answer: SendResult): Unit = answers.put(answer)
    override def poll(): Option[SendResult] = Option(answers.poll())
    override def await(nanos: Long): Option[SendResult] = Option(answers.poll(nanos, TimeUnit.NANOSECONDS))
  }
}
