package localhub.cli

import java.nio.file.Path

import scala.util.Try

import localhub.{CompactionNames, HubConfig, InvalidHubException, Retention, SettingParser}

/**
 * Reads the official emulator's Config.json. An entity may also have `RetentionTime` ("1h"), `RetentionBytes` ("64MB",
 * per partition), `ThroughputUnits`, and `CleanupPolicy` ("Compact") with `TombstoneRetention` and `MinCompactionLag`.
 * The emulator's limits (10 hubs, 32 partitions, a fixed namespace name) do not apply, and the logging section is
 * ignored.
 */
private[localhub] object EmulatorConfig {

  /** @throws UsageException that names the file and the wrong field */
  def read(file: Path): Seq[HubConfig] = {
    val text = GivenFile.text("--config", file)
    try parse(text)
    catch {
      case mistake: UsageException => throw new UsageException(s"--config $file: ${mistake.getMessage}")
      case mistake: InvalidHubException => throw new UsageException(s"--config $file: ${mistake.getMessage}")
    }
  }

  def parse(text: String): Seq[HubConfig] = {
    val root = Try(ujson.read(text)).fold(
      failure => throw new UsageException(s"this is not JSON: ${failure.getMessage}."),
      identity
    )
    val namespaces = items(field(field(root, "UserConfig"), "NamespaceConfig"), "NamespaceConfig")
    if (namespaces.size != 1)
      throw new UsageException(s"NamespaceConfig has ${namespaces.size} namespaces; a local hub has exactly one.")
    items(field(namespaces.head, "Entities"), "Entities").map(hub)
  }

  private def hub(entity: ujson.Value): HubConfig = {
    val fields =
      entity.objOpt.getOrElse(throw new UsageException(s"an entity is $entity; expected an object with a Name."))
    val groups =
      fields.get("ConsumerGroups").filterNot(_.isNull).fold(Seq.empty[ujson.Value])(items(_, "ConsumerGroups"))
    HubConfig(
      text(entity, "Name"),
      partitions(entity),
      groups.map(text(_, "Name")).toSet,
      Retention(
        setting(entity, "RetentionTime").map(SettingParser.duration("RetentionTime", _)),
        setting(entity, "RetentionBytes").map(SettingParser.bytes("RetentionBytes", _))
      ),
      setting(entity, "ThroughputUnits").map(SettingParser.count("ThroughputUnits", _)),
      compaction = SettingParser.compaction(
        Cleanup,
        setting(entity, Cleanup.policy),
        setting(entity, Cleanup.tombstoneRetention),
        setting(entity, Cleanup.minLag)
      )
    )
  }

  private val Cleanup = CompactionNames("CleanupPolicy", "TombstoneRetention", "MinCompactionLag")

  // The emulator's examples write the number as a string.
  private def partitions(entity: ujson.Value): Int = field(entity, "PartitionCount") match {
    case ujson.Num(value) if value.isValidInt => value.toInt
    case ujson.Str(value) if value.trim.toIntOption.isDefined => value.trim.toInt
    case other => throw new UsageException(s"PartitionCount is $other; expected a whole number such as \"2\".")
  }

  /** A setting that the emulator does not have: a string or a whole number. */
  private def setting(entity: ujson.Value, name: String): Option[String] =
    entity.objOpt.flatMap(_.get(name)).filterNot(_.isNull).map {
      case ujson.Str(value) => value.trim
      case ujson.Num(value) if value.isWhole => value.toLong.toString
      case other => throw new UsageException(s"$name is $other; expected a string or a whole number.")
    }

  private def field(value: ujson.Value, name: String): ujson.Value =
    value.objOpt.flatMap(_.get(name)).getOrElse(throw new UsageException(s"'$name' is missing."))

  private def items(value: ujson.Value, name: String): Seq[ujson.Value] =
    value.arrOpt.getOrElse(throw new UsageException(s"'$name' is not a list.")).toSeq

  private def text(value: ujson.Value, name: String): String =
    field(value, name).strOpt.getOrElse(throw new UsageException(s"'$name' is not a string."))
}
