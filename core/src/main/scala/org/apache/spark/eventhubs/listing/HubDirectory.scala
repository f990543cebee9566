package org.apache.spark.eventhubs.listing

/** Which event hubs a namespace has. */
private[spark] trait HubDirectory {

  /** All names, in the service's order. */
  def names(): Seq[String]
}
