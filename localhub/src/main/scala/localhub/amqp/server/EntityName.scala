package localhub.amqp.server

import java.util.Locale

/** Names of a hub and of what belongs to it, as the service writes them in error texts. */
private[amqp] object EntityName {

  /** @param path of a link's address */
  def of(path: String): String = s"sb://localhost/${path.toLowerCase(Locale.ROOT)}"

  def ofGroup(hub: String, group: String): String = s"localhost:eventhub:$hub~32766|$group"

  def inCapitals(hub: String): String = s"${hub.toUpperCase(Locale.ROOT)}~32766"
}
