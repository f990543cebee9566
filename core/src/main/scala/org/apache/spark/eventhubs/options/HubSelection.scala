package org.apache.spark.eventhubs.options

import java.util.Locale

import org.apache.spark.eventhubs.EventHubsErrors

/** Which event hubs of the namespace a query reads, when it reads more than one. */
private[spark] sealed trait HubSelection {

  /** Whether the query reads a hub of this name, in any case. */
  def includes(hub: String): Boolean
}

private[spark] object HubSelection {

  /** @param names as the user wrote them, in alphabetical order, each once */
  final case class Listed(names: Seq[String]) extends HubSelection {
    override def includes(hub: String): Boolean = names.exists(_.equalsIgnoreCase(hub))
  }

  private val Separator = ","

  private val Expected = "names of event hubs, each once, with a comma between them"

  /** Whether a value of `eventhubs.name` is a list. The name of an event hub has no comma. */
  def isList(name: String): Boolean = name.contains(Separator)

  /**
   * The hubs of a value of `eventhubs.name`; None for a single one.
   *
   * @throws EventHubsException EVENTHUBS_INVALID_OPTION for a missing name and for one that occurs twice
   */
  def of(name: String): Option[Listed] = Option.when(isList(name)) {
    val names = name.split(Separator, -1).toSeq.map(_.trim)
    val distinct = names.map(lower).distinct
    if (names.exists(_.isEmpty) || distinct.size < names.size)
      throw EventHubsErrors.invalidOption(ConnectionOptions.Name.key, name, Expected)
    Listed(names.sortBy(lower))
  }

  /** One text for the same hubs in any order, for settings and reports. */
  def normalized(name: String): String = of(name).fold(name)(_.names.mkString(Separator))

  private def lower(name: String): String = name.toLowerCase(Locale.ROOT)
}
