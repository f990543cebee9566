package org.apache.spark.sql.eventhubs.hubs

import java.io.FileNotFoundException
import java.net.URLEncoder
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Locale

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import org.apache.spark.eventhubs.{EventHubName, EventHubsErrors}
import org.apache.spark.sql.eventhubs.planning.{CheckpointFile, HubIdentity, HubIdentityFile}

/**
 * The identity files of a checkpoint. That of a query's only hub is `hub.json`. With several hubs each has a file in
 * the folder `hubs`; a hub that was the only one keeps `hub.json`.
 */
private[eventhubs] final class HubIdentityFiles(metadataPath: String, hadoopConf: Configuration) {

  import HubIdentityFiles._

  private val folder = new Path(metadataPath, Folder)
  private val ofOnlyHub = new HubIdentityFile(metadataPath, hadoopConf)
  private val onlyHub: Option[HubIdentity] = ofOnlyHub.read()

  /** @param isOnly whether the query reads no other hub */
  def of(hub: EventHubName, isOnly: Boolean): HubIdentityFile = {
    val own = new HubIdentityFile(new Path(folder, fileName(hub.name)), hadoopConf)
    val isOfOnlyHub = onlyHub match {
      case Some(identity) => identity.hub.name.equalsIgnoreCase(hub.name)
      case None => isOnly && own.read().isEmpty
    }
    if (isOfOnlyHub) ofOnlyHub else own
  }

  /**
   * Refuses the checkpoint of a query that reads none of the hubs, or that reads another namespace.
   *
   * @param configured the query's hubs, as errors name them
   * @param includes   whether the query reads a hub of this name
   * @param started    names of the hubs in the query's first offset
   */
  def requireSameHubs(configured: EventHubName, includes: String => Boolean, started: Seq[String]): Unit = {
    val identities = onlyHub.toSeq ++ recorded
    val isForeign = identities.exists(_.hub.namespace != configured.namespace)
    val names = identities.map(_.hub.name) ++ started
    if (isForeign || names.nonEmpty && !names.exists(includes)) {
      if (identities.isEmpty) throw EventHubsErrors.otherOffsets(metadataPath, started, configured)
      val before = identities.map(_.hub.toString).distinct.sorted
      throw EventHubsErrors.otherHub(metadataPath, before.mkString(", "), configured)
    }
  }

  /** Names of all hubs that have a file. */
  def hubs: Seq[String] = (onlyHub.toSeq ++ recorded).map(_.hub.name)

  private def recorded: Seq[HubIdentity] = names().flatMap { name =>
    new HubIdentityFile(new Path(folder, name), hadoopConf).read()
  }

  /** Also of a file whose replacement was interrupted, which exists as a draft only. */
  private def names(): Seq[String] = {
    val files = CheckpointFile.fileSystem(folder, hadoopConf)
    val found =
      try files.listStatus(folder).toSeq.map(_.getPath.getName)
      catch { case _: FileNotFoundException => Nil }
    found.map(name => name.stripPrefix(".").stripSuffix(".tmp")).filter(_.endsWith(Extension)).distinct.sorted
  }
}

private object HubIdentityFiles {
  private val Folder = "hubs"
  private val Extension = ".json"

  /** The service ignores the case of a name. */
  private def fileName(hub: String): String =
    URLEncoder.encode(hub.toLowerCase(Locale.ROOT), UTF_8.name) + Extension
}
