package localhub.cli

import java.nio.file.Path
import java.util.{List => JList}

import scala.jdk.CollectionConverters._

import picocli.CommandLine
import picocli.CommandLine.Model.CommandSpec
import picocli.CommandLine.{ParameterException, ParseResult, UnmatchedArgumentException}

import localhub.{CompactionNames, HubConfig, LocalHubConfig, Retention, SettingParser}

/** Parses the command line. */
private[localhub] object ArgumentParser {

  private val spec: CommandSpec = {
    val command = CommandSpec.create().name("spark-eventhubs-localhub").mixinStandardHelpOptions(true)
    command.usageMessage
      .description(
        "Run a local hub until Ctrl-C: AMQP for the SDKs, HTTP for management and the Data Explorer."
      )
      .sortOptions(false)
      .abbreviateSynopsis(true)
      .footer("", "Example: --hub telemetry:4 --hub alerts:2:dashboards,audit --data-dir ./hub-data")
    CommandLineOptions.all.foreach(option => command.addOption(option))
    command
  }

  /** @return the arguments, or the text of `--help` or `--version` */
  def parse(args: Seq[String]): Either[String, Arguments] =
    try {
      val line = new CommandLine(spec).setUsageHelpAutoWidth(true)
      val parsed = line.parseArgs(args: _*)
      if (parsed.isUsageHelpRequested) Left(line.getUsageMessage)
      else if (parsed.isVersionHelpRequested) Left(s"spark-eventhubs-localhub ${Version.current}\n")
      else Right(arguments(parsed))
    } catch {
      case unknown: UnmatchedArgumentException if unknown.isUnknownOption =>
        val typed = unknown.getUnmatched.get(0)
        val similar = NearOption.of(typed, CommandLineOptions.all.map(_.longestName))
        val meant = similar.fold("")(option => s" Did you mean $option?")
        throw new UsageException(s"No such option $typed.$meant See --help.")
      case mistake: ParameterException => throw new UsageException(s"${mistake.getMessage}. See --help.")
    }

  private def arguments(parsed: ParseResult): Arguments = {
    def valueOf[A](option: String): Option[A] = Option(parsed.matchedOption(option)).map(_.getValue[A])
    val dataDir = valueOf[Path]("--data-dir")
    val fsync = parsed.hasMatchedOption("--fsync")
    if (fsync && dataDir.isEmpty)
      throw new UsageException("--fsync needs --data-dir: events in memory cannot be synced.")
    def settings(hub: HubConfig): HubConfig = hub.copy(
      retention = Retention(
        valueOf[String]("--retention").map(SettingParser.duration("--retention", _)),
        valueOf[String]("--retention-bytes").map(SettingParser.bytes("--retention-bytes", _))
      ),
      throughputUnits = valueOf[Integer]("--throughput-units").map(_.intValue),
      compaction = SettingParser.compaction(
        Cleanup,
        valueOf[String](Cleanup.policy),
        valueOf[String](Cleanup.tombstoneRetention),
        valueOf[String](Cleanup.minLag)
      )
    )
    def repeated(option: String): Seq[String] =
      valueOf[JList[String]](option).fold(Seq.empty[String])(_.asScala.toSeq)
    val host = valueOf[String]("--host").getOrElse("127.0.0.1")
    val hub = LocalHubConfig(
      hubs = hubs(repeated("--hub").map(HubArgument.parse).map(settings), valueOf[Path]("--config")),
      amqpPort = port("--port", valueOf[Integer]("--port").fold(5672)(_.intValue)),
      httpPort = port("--http-port", valueOf[Integer]("--http-port").fold(5300)(_.intValue)),
      dataDir = dataDir,
      fsync = fsync,
      host = host,
      schemaGroups = repeated("--schema-group").map(SchemaGroupArgument.parse),
      policies = PolicyArgument.policies(repeated("--policy")),
      tls = TlsArguments.read(
        valueOf[Integer]("--tls-port").map(number => port("--tls-port", number.intValue)),
        valueOf[Path]("--tls-keystore"),
        valueOf[Path]("--tls-password-file")
      ),
      authority = AuthorityArguments.read(
        valueOf[Integer]("--authority-port").map(number => port("--authority-port", number.intValue)),
        valueOf[Path]("--authority-config")
      ).map(_.copy(host = host)),
      service = ServiceArguments.read(
        valueOf[String]("--service"),
        valueOf[String]("--service-time-scale"),
        valueOf[String]("--max-message-size"),
        valueOf[Integer]("--management-limit").map(_.intValue),
        valueOf[String]("--management-max-age"),
        parsed.hasMatchedOption("--unsettled-readers")
      )
    )
    Arguments(hub, valueOf[Path]("--ready-file"), parsed.hasMatchedOption("--exit-with-stdin"))
  }

  private val Cleanup = CompactionNames("--cleanup-policy", "--tombstone-retention", "--min-compaction-lag")

  private def hubs(named: Seq[HubConfig], configFile: Option[Path]): Seq[HubConfig] = {
    val all = configFile.fold(Seq.empty[HubConfig])(EmulatorConfig.read) ++ named
    all.groupBy(_.name.toLowerCase).values.find(_.size > 1).foreach { same =>
      throw new UsageException(s"The event hub '${same.head.name}' is given ${same.size} times; use each name once.")
    }
    all
  }

  private def port(option: String, value: Int): Int =
    if (value >= 0 && value <= 65535) value
    else throw new UsageException(s"$option $value: expected a port, 0 to 65535.")
}
