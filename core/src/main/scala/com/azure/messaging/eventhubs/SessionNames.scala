package com.azure.messaging.eventhubs

import java.util.concurrent.ConcurrentHashMap

/**
 * Gives each open link of a connection a session of its own. The window of a session bounds the bytes of all its links,
 * so a link whose reader takes nothing would stop the others. The SDK knows sessions by name and uses one for all links
 * of a partition. A name is free again when its link's reader has ended, so there are only as many sessions as links
 * were open at a time.
 */
private final class SessionNames {

  private val taken = ConcurrentHashMap.newKeySet[String]()

  /** A free name that begins with `prefix`. */
  def take(prefix: String): String = Iterator.from(0).map(n => s"$prefix#$n").find(name => taken.add(name)).get

  def release(name: String): Unit = {
    taken.remove(name)
    ()
  }
}
