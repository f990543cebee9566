package org.apache.spark.sql.eventhubs.realtime

import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.eventhubs.options.{EventHubsOption, ReadOptions, ReadSettings}

/** Refuses options that limit or split a batch: in Real-Time Mode a batch reads all events that arrive. */
private[realtime] object RealTimeConflicts {

  def check(settings: ReadSettings): Unit = {
    val conflicting = Seq[(EventHubsOption[_], Boolean)](
      ReadOptions.MaxEventsPerTrigger -> settings.maxEventsPerTrigger.isDefined,
      ReadOptions.MaxBytesPerTrigger -> settings.maxBytesPerTrigger.isDefined,
      ReadOptions.MinEventsPerTrigger -> settings.minEventsPerTrigger.isDefined,
      ReadOptions.MinPartitions -> settings.minPartitions.isDefined,
      ReadOptions.MaxEventsPerTask -> settings.maxEventsPerTask.isDefined,
      ReadOptions.MaxPartitions -> settings.maxPartitions.isDefined,
      ReadOptions.ReplayCacheBytes -> (settings.replayCacheBytes > 0)
    ).collect { case (option, true) => s"'${option.key}'" }
    if (conflicting.nonEmpty)
      throw EventHubsErrors.conflictingOptions(
        s"${conflicting.mkString(", ")} and a Real-Time trigger, with which a batch reads what comes while it lasts",
        "Remove the option, or use another trigger."
      )
  }
}
