package org.apache.spark.sql.eventhubs.hubs

import org.apache.spark.eventhubs.options.{HubSelection, ReadSettings}

/** The names of the hubs that a query reads, in alphabetical order. */
private[eventhubs] object SelectedHubs {

  def now(settings: ReadSettings): Seq[String] = settings.hubs match {
    case None => Seq(settings.connection.hub.name)
    case Some(HubSelection.Listed(names)) => names
  }
}
