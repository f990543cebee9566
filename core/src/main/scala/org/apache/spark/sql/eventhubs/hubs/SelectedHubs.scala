package org.apache.spark.sql.eventhubs.hubs

import java.util.Locale

import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.eventhubs.listing.{HubDirectory, NamespaceHubs}
import org.apache.spark.eventhubs.options.{HubSelection, ReadSettings}

/** The names of the hubs that a query reads, in alphabetical order. */
private[eventhubs] object SelectedHubs {

  def now(settings: ReadSettings): Seq[String] = settings.hubs match {
    case HubSelection.Listed(names) => names
    case pattern: HubSelection.Matching =>
      matching(settings, pattern, new NamespaceHubs(settings.connection), Nil)
  }

  /**
   * The hubs that match the pattern.
   *
   * @param known hubs of the query that may be missing now
   * @throws EventHubsException EVENTHUBS_NO_MATCHING_HUB when there is none
   */
  def matching(
      settings: ReadSettings,
      pattern: HubSelection.Matching,
      directory: HubDirectory,
      known: Seq[String]
  ): Seq[String] = {
    val existing = directory.names()
    val found = sorted((existing ++ known).filter(pattern.includes))
    if (found.isEmpty) throw EventHubsErrors.noMatchingHub(settings.connection.hub, existing)
    found
  }

  /** Each hub once, in the first of its spellings. */
  def sorted(names: Seq[String]): Seq[String] =
    names.foldLeft(Vector.empty[String])((all, name) => if (all.exists(_.equalsIgnoreCase(name))) all else all :+ name)
      .sortBy(_.toLowerCase(Locale.ROOT))
}
