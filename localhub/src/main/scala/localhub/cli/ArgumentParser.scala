package localhub.cli

import java.nio.file.Path
import java.util.{List => JList}

import scala.jdk.CollectionConverters._

import localhub.{HubConfig, LocalHubConfig, Retention, SettingText}
import picocli.CommandLine
import picocli.CommandLine.Model.{CommandSpec, OptionSpec}
import picocli.CommandLine.{ParameterException, ParseResult}

/** Says what the program takes, and reads it. */
object ArgumentParser {

  private val spec: CommandSpec = {
    val command = CommandSpec.create().name("spark-eventhubs-localhub").mixinStandardHelpOptions(true)
    command.usageMessage
      .description(
        "Runs Azure Event Hubs on this machine: AMQP for the SDKs, HTTP for management and the Data Explorer."
      )
      .sortOptions(false)
      .abbreviateSynopsis(true)
      .footer("", "Example: --hub telemetry:4 --hub alerts:2:dashboards,audit --data-dir ./hub-data")
    command
      .addOption(values(
        "--hub",
        "NAME:N[:GROUP,..]",
        "An event hub with N partitions and its consumer groups. Repeatable."
      ))
      .addOption(value("--config", "FILE", classOf[Path], "Hubs from a Config.json as the official emulator reads it."))
      .addOption(value(
        "--retention",
        "TIME",
        classOf[String],
        "How long the --hub hubs keep events, as 90s, 1h, 7d. Default: for ever."
      ))
      .addOption(value(
        "--retention-bytes",
        "SIZE",
        classOf[String],
        "How much each of their partitions keeps, as 64MB. Default: all."
      ))
      .addOption(value(
        "--throughput-units",
        "N",
        classOf[Int],
        "Capacity of each --hub hub: 1 MB/s or 1000 events/s in, twice that out, each. Default: no limit."
      ))
      .addOption(value("--port", "PORT", classOf[Int], "AMQP port, 0 for any free one. Default: 5672."))
      .addOption(value("--http-port", "PORT", classOf[Int], "HTTP port, 0 for any free one. Default: 5300."))
      .addOption(value(
        "--host",
        "ADDRESS",
        classOf[String],
        "Address to listen on. Default: 127.0.0.1, this machine only."
      ))
      .addOption(value(
        "--data-dir",
        "DIR",
        classOf[Path],
        "Keeps hubs and events here over restarts. Default: in memory."
      ))
      .addOption(flag("--fsync", "With --data-dir: events survive a power loss too, at the price of speed."))
      .addOption(value(
        "--ready-file",
        "FILE",
        classOf[Path],
        "Written when all ports listen: JSON with amqpPort, httpPort, pid."
      ))
      .addOption(flag("--exit-with-stdin", "Ends when standard input ends, so with the program that started it."))
  }

  /** @return the arguments, or the text that `--help` or `--version` asked for */
  def parse(args: Seq[String]): Either[String, Arguments] =
    try {
      val line = new CommandLine(spec).setUsageHelpAutoWidth(true)
      val parsed = line.parseArgs(args: _*)
      if (parsed.isUsageHelpRequested) Left(line.getUsageMessage)
      else if (parsed.isVersionHelpRequested) Left(s"spark-eventhubs-localhub ${Version.current}\n")
      else Right(arguments(parsed))
    } catch {
      case mistake: ParameterException => throw new UsageException(s"${mistake.getMessage}. See --help.")
    }

  private def arguments(parsed: ParseResult): Arguments = {
    def valueOf[A](option: String): Option[A] = Option(parsed.matchedOption(option)).map(_.getValue[A])
    val dataDir = valueOf[Path]("--data-dir")
    val fsync = parsed.hasMatchedOption("--fsync")
    if (fsync && dataDir.isEmpty)
      throw new UsageException("--fsync needs --data-dir: in memory there is nothing to sync.")
    def settings(hub: HubConfig): HubConfig = hub.copy(
      retention = Retention(
        valueOf[String]("--retention").map(SettingText.duration("--retention", _)),
        valueOf[String]("--retention-bytes").map(SettingText.bytes("--retention-bytes", _))
      ),
      throughputUnits = valueOf[Integer]("--throughput-units").map(_.intValue)
    )
    val named = valueOf[JList[String]]("--hub").fold(Seq.empty[String])(_.asScala.toSeq).map(HubArgument.parse)
    val hub = LocalHubConfig(
      hubs = hubs(named.map(settings), valueOf[Path]("--config")),
      amqpPort = port("--port", valueOf[Integer]("--port").fold(5672)(_.intValue)),
      httpPort = port("--http-port", valueOf[Integer]("--http-port").fold(5300)(_.intValue)),
      dataDir = dataDir,
      fsync = fsync,
      host = valueOf[String]("--host").getOrElse("127.0.0.1")
    )
    Arguments(hub, valueOf[Path]("--ready-file"), parsed.hasMatchedOption("--exit-with-stdin"))
  }

  private def hubs(named: Seq[HubConfig], configFile: Option[Path]): Seq[HubConfig] = {
    val all = configFile.fold(Seq.empty[HubConfig])(EmulatorConfig.read) ++ named
    all.groupBy(_.name.toLowerCase).values.find(_.size > 1).foreach { same =>
      throw new UsageException(s"The event hub '${same.head.name}' is given ${same.size} times; give each name once.")
    }
    all
  }

  private def port(option: String, value: Int): Int =
    if (value >= 0 && value <= 65535) value
    else throw new UsageException(s"$option $value: expected a port, 0 to 65535.")

  private def value(name: String, label: String, kind: Class[_], description: String): OptionSpec =
    OptionSpec.builder(name).paramLabel(label).`type`(kind).description(description).build()

  private def values(name: String, label: String, description: String): OptionSpec =
    OptionSpec.builder(name).paramLabel(label).`type`(classOf[JList[_]]).auxiliaryTypes(classOf[String])
      .description(description).build()

  private def flag(name: String, description: String): OptionSpec =
    OptionSpec.builder(name).`type`(classOf[Boolean]).arity("0").description(description).build()
}
