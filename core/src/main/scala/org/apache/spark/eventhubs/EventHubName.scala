package org.apache.spark.eventhubs

import java.util.Locale

/**
 * Full name of an event hub.
 *
 * @param namespace fully qualified host without port, lower case: `contoso.servicebus.windows.net`
 * @param name      the hub's name as the user wrote it; the service ignores its case
 */
private[spark] final case class EventHubName(namespace: String, name: String) {
  override def toString: String = s"$name in $namespace"

  /** Whether each row names the hub that it is written to. */
  def isOfRows: Boolean = name == EventHubName.OfRows

  /** All spellings of a name have one key. */
  def key: String = name.toLowerCase(Locale.ROOT)
}

private[spark] object EventHubName {

  /** Shown instead of a name. The service accepts no such name. */
  val OfRows = "(named by each row)"
}
