package localhub.cli

import localhub.{HubConfig, InvalidHubException}

private[localhub] object HubArgument {
  private val Expected = "expected NAME:PARTITIONS or NAME:PARTITIONS:GROUP,GROUP"

  /** `telemetry:4` or `alerts:2:group1,group2`. */
  def parse(text: String): HubConfig = text.split(":", -1) match {
    case Array(name, partitions) => hub(text, name, partitions, Set.empty)
    case Array(name, partitions, groups) =>
      hub(text, name, partitions, groups.split(',').map(_.trim).filter(_.nonEmpty).toSet)
    case _ => throw new UsageException(s"--hub $text: $Expected.")
  }

  private def hub(text: String, name: String, partitions: String, groups: Set[String]): HubConfig = {
    val count = partitions.toIntOption.getOrElse(
      throw new UsageException(s"--hub $text: '$partitions' is not a number of partitions; $Expected.")
    )
    try HubConfig(name, count, groups)
    catch { case invalid: InvalidHubException => throw new UsageException(s"--hub $text: ${invalid.getMessage}") }
  }
}
