package org.apache.spark.eventhubs.signin

import scala.collection.mutable

import com.azure.core.credential.TokenCredential

/** One credential of the SDK for equal settings. It forgets those that were not asked for most recently. */
private[signin] final class SharedCredentials(atMost: Int = 64) {

  private val byUse = mutable.LinkedHashMap.empty[Any, TokenCredential]

  def of(settings: Any)(create: => TokenCredential): TokenCredential = synchronized {
    val credential = byUse.remove(settings).getOrElse(create)
    byUse(settings) = credential
    if (byUse.size > atMost) byUse -= byUse.head._1
    credential
  }

  def size: Int = synchronized(byUse.size)
}
