package org.apache.spark.eventhubs.signin

import scala.collection.mutable

import com.azure.core.credential.TokenCredential

/**
 * One credential of the SDK for equal settings. It forgets those that were not asked for most recently. Creating one
 * may block, as in a user's class: only who asks for an equal one waits for it.
 */
private[signin] final class SharedCredentials(atMost: Int = 64) {

  private val byUse = mutable.LinkedHashMap.empty[Any, CreatedOnce[TokenCredential]]

  def of(settings: Any)(create: => TokenCredential): TokenCredential = {
    val shared = synchronized {
      val found = byUse.remove(settings).getOrElse(new CreatedOnce(create))
      byUse(settings) = found
      if (byUse.size > atMost) byUse -= byUse.head._1
      found
    }
    try shared.get()
    catch {
      case failed: Throwable =>
        synchronized(if (shared.hasFailed && byUse.get(settings).contains(shared)) byUse -= settings)
        throw failed
    }
  }

  /** What [[of]] has created for equal settings. */
  def known(settings: Any): Option[TokenCredential] = synchronized(byUse.get(settings)).flatMap(_.made)

  def size: Int = synchronized(byUse.size)
}
