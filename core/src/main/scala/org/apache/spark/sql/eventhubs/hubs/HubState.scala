package org.apache.spark.sql.eventhubs.hubs

import java.time.Duration

/**
 * What a query knows of one of its hubs.
 *
 * @param opened what the driver keeps open for the hub
 */
private[hubs] sealed abstract class HubState(val opened: Option[OpenHub])

private[hubs] object HubState {

  /**
   * The hub matches the query's pattern, and cannot be read yet.
   *
   * @param why as the log has said it
   */
  final case class NotReady(why: String) extends HubState(None)

  /** The service has the hub, as far as the query knows. */
  final case class Open(hub: OpenHub) extends HubState(Some(hub))

  /**
   * The service does not have the hub, and the query continues without it. It asks for the hub more and more rarely:
   * when it has been missing for twice as long.
   */
  final case class Missing(hub: OpenHub, sinceMillis: Long, askedMillis: Long) extends HubState(Some(hub)) {

    def isDue(nowMillis: Long): Boolean = {
      val pause = math.min(LatestMillis, math.max(SoonestMillis, askedMillis - sinceMillis))
      nowMillis - askedMillis >= pause
    }
  }

  private val SoonestMillis = Duration.ofSeconds(10).toMillis
  private val LatestMillis = Duration.ofMinutes(5).toMillis
}
