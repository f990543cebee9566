package org.apache.spark.eventhubs.listing

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.eventhubs.ErrorCondition.HubList
import org.apache.spark.eventhubs.rest.{RefusedRequest, RestFailure, RestFailures}
import org.apache.spark.eventhubs.{EventHubName, EventHubsErrors}

/**
 * Translates failures of a list of event hubs to the connector's error conditions.
 *
 * @param hub whose name is the query's pattern
 */
private[listing] final class ListingFailures(hub: EventHubName, address: String) {
  import ListingFailures._

  def translate(failed: Throwable): Throwable = RestFailures.translate(failed, hub, Doing) { (kind, said, cause) =>
    val condition = kind match {
      case RestFailure.Denied => HubList.Authentication
      case RestFailure.Unreachable => HubList.Unreachable
      case RestFailure.Other => HubList.Service
    }
    EventHubsErrors.hubList(condition, hub, address, said, cause)
  }
}

private[listing] object ListingFailures {
  private val Doing = "listing the event hubs of the namespace"
  private val Detail = "(?s)<Detail>(.*?)</Detail>".r.unanchored

  /** The service appends its own tracking ids. */
  def refused(status: Int, body: Array[Byte]): RefusedRequest = new RefusedRequest(
    status,
    new String(body, UTF_8) match {
      case Detail(text) => s": ${text.replaceFirst("\\s*TrackingId:.*", "").trim}"
      case _ => ""
    }
  )
}
