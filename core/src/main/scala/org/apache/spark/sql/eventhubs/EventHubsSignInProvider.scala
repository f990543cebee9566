package org.apache.spark.sql.eventhubs

import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.eventhubs.options.{ConnectionOptions, HubSelection, ReadMode, ReadOptions, ReadSettings}
import org.apache.spark.sql.SQLContext
import org.apache.spark.sql.eventhubs.source.SignInRelation
import org.apache.spark.sql.sources.{BaseRelation, DataSourceRegister, RelationProvider}

/**
 * The format `eventhubs-sign-in`: one row that says who the options of a read sign in as, and whether the service
 * admits a reader and a writer. The driver signs in; executors need the same identity. Reads and sends no event.
 */
class EventHubsSignInProvider extends DataSourceRegister with RelationProvider {

  override def shortName(): String = "eventhubs-sign-in"

  override def createRelation(sqlContext: SQLContext, parameters: Map[String, String]): BaseRelation = {
    SecretRedaction.check(parameters)
    val settings = ReadSettings.parse(parameters, ReadMode.Batch)
    if (!settings.hubs.isOne) {
      val key = settings.hubs match {
        case _: HubSelection.Listed => ConnectionOptions.Name.key
        case _: HubSelection.Matching => ReadOptions.NamePattern.key
      }
      throw EventHubsErrors.invalidOption(
        key,
        settings.connection.hub.name,
        "the name of one event hub, because the rights on each may differ"
      )
    }
    new SignInRelation(sqlContext, settings)
  }
}
