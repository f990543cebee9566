package com.azure.messaging.eventhubs

import java.util.concurrent.ConcurrentHashMap

import com.azure.core.amqp.AmqpEndpointState
import com.azure.core.amqp.implementation.AmqpReceiveLink
import reactor.core.Disposable
import reactor.core.publisher.Mono

/**
 * The links that one reader had opened, so that none outlives it. The SDK forgets a link whose opening is cancelled, and
 * one that it hands over while its reader goes away; the service counts both among the five readers of their partition
 * for as long as the connection lives.
 */
private final class OpenedLinks extends AutoCloseable {

  private val links = ConcurrentHashMap.newKeySet[AmqpReceiveLink]()
  @volatile private var closed = false

  /** The opening, which goes on to its end also when nobody waits for it any more. */
  def keep(opening: Mono[AmqpReceiveLink]): Mono[AmqpReceiveLink] = opening.doOnNext(add).cache()

  /** Closes what is open, and what is still being opened once it is. */
  override def close(): Unit = {
    closed = true
    links.forEach(link => { val _ = close(link) })
  }

  private def add(link: AmqpReceiveLink): Unit = {
    links.removeIf(_.isDisposed)
    links.add(link)
    if (closed) { val _ = close(link) }
  }

  /**
   * When the service has answered, and not before: the SDK would free the link at once, the answer would free it again, with
   * it the session under the partition's other readers, and the connection would end with its socket left open. Nobody
   * waits for this.
   */
  private def close(link: AmqpReceiveLink): Disposable =
    link.getEndpointStates
      .filter(_ == AmqpEndpointState.ACTIVE)
      .next()
      .flatMap[Void](_ => link.closeAsync())
      .onErrorComplete()
      .subscribe()
}
