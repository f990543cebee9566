package org.apache.spark.eventhubs.send

import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}

/** The result of one attempt to send a batch. */
private[eventhubs] final case class SendResult(
    hub: HubWriter,
    attempt: SendRules.Attempt,
    error: Option[Throwable],
    endedNanos: Long
)

/** The results of a task's attempts: the SDK's threads post them, the thread that has the task's turn takes them. */
private[eventhubs] trait SendResults {

  def post(result: SendResult): Unit

  def poll(): Option[SendResult]

  /** Waits for a result, for at most this long. */
  def await(nanos: Long): Option[SendResult]
}

private[eventhubs] object SendResults {

  def apply(): SendResults = new SendResults {
    private val results = new LinkedBlockingQueue[SendResult]

    // Not `put`, which throws in an interrupted thread: Reactor ends a timer with an interrupt, also one whose thread
    // brings a result at that time.
    override def post(result: SendResult): Unit = { results.add(result); () }
    override def poll(): Option[SendResult] = Option(results.poll())
    override def await(nanos: Long): Option[SendResult] = Option(results.poll(nanos, TimeUnit.NANOSECONDS))
  }
}
