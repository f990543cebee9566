package localhub.cli

import java.nio.file.Path

import localhub.{HubConfig, InvalidHubException, LocalHubConfig}

/** The command line, understood. */
final case class Arguments(hub: LocalHubConfig, readyFile: Option[Path], exitWithStdin: Boolean)

/** A mistake in the command line or in a file that it names: told in one line, exit code 2. */
final class UsageException(message: String) extends RuntimeException(message)

object HubArgument {
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
