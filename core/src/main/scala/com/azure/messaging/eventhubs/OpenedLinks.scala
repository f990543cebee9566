package com.azure.messaging.eventhubs

import java.util.concurrent.ConcurrentHashMap

import com.azure.core.amqp.{AmqpEndpointState, AmqpLink}
import reactor.core.Disposable
import reactor.core.publisher.Mono

/**
 * The links that one owner has opened, so that no link outlives its owner. The SDK loses track of a link when its
 * opening is cancelled, or when a reader cancels at the time of the handover. The service counts such a link of a
 * reader as one of the five of its partition while the connection is open.
 */
private final class OpenedLinks[L <: AmqpLink] extends AutoCloseable {

  private val links = ConcurrentHashMap.newKeySet[L]()
  @volatile private var closed = false

  /** Makes the opening of a link continue even when its subscriber cancels. */
  def keep(opening: Mono[L]): Mono[L] = opening.doOnNext(link => add(link)).cache()

  /** Closes the open links now, and the links that are being opened as soon as they are open. */
  override def close(): Unit = {
    closed = true
    links.forEach(link => { val _ = close(link) })
  }

  private def add(link: L): Unit = {
    links.removeIf(_.isDisposed)
    links.add(link)
    if (closed) { val _ = close(link) }
  }

  /**
   * Closes a link after the service has answered its opening, in the background. Earlier, the SDK would free the link
   * at once and the answer would free it again, together with the session of the partition's other readers. The
   * connection would then end and leave its socket open.
   */
  private def close(link: L): Disposable =
    link.getEndpointStates
      .filter(_ == AmqpEndpointState.ACTIVE)
      .next()
      .flatMap[Void](_ => link.closeAsync())
      .onErrorComplete()
      .subscribe()
}
