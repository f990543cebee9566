package org.apache.spark.eventhubs

/**
 * Full name of an event hub.
 *
 * @param namespace fully qualified host without port, lower case: `contoso.servicebus.windows.net`
 * @param name      the hub's name as the user wrote it; the service ignores its case
 */
private[spark] final case class EventHubName(namespace: String, name: String) {
  override def toString: String = s"$name in $namespace"
}
