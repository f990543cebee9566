package com.azure.messaging.eventhubs

/**
 * Asks over an open link whether the service has more events for it, with AMQP's drain: the service sends the events
 * that it has, up to the link's credit, and returns the credit that is left. So if it returns some, it has no further
 * event.
 */
abstract class DrainRequest {

  @volatile private var ask = Option.empty[Runnable]
  private var isWaiting = false

  /**
   * The service's answer, after the events that it sent before. Called on the connection's thread. A link that ends
   * gives no answer.
   *
   * @param returned credit that the link no longer has; at least 1
   * @param isEmpty  whether all events that came are delivered
   */
  protected def answered(returned: Int, isEmpty: Boolean): Unit

  /** The link has opened and has its first credit. */
  protected def hasOpened(): Unit = ()

  /** Whether the link has opened and has its first credit. */
  final def isOpen: Boolean = ask.isDefined

  /** Asks now, or as soon as the link is open. Does not block. */
  final def request(): Unit = synchronized {
    if (ask.isEmpty) isWaiting = true else ask.get.run()
  }

  /** @param send asks the service; called after the link has opened and has its first credit */
  final def bind(send: Runnable): Unit = synchronized {
    ask = Some(send)
    hasOpened()
    if (isWaiting) send.run()
    isWaiting = false
  }

  final def answer(returned: Int, isEmpty: Boolean): Unit = answered(returned, isEmpty)
}
