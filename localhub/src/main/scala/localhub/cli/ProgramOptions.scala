package localhub.cli

import java.nio.file.Path
import java.util.{List => JList}

import picocli.CommandLine.Model.OptionSpec

/** Every option of the program, in the order in which `--help` shows them. */
private[cli] object ProgramOptions {

  val all: Seq[OptionSpec] = Seq(
    repeated("--hub", "NAME:N[:GROUP,..]")("An event hub with N partitions and its consumer groups. Repeatable."),
    file("--config", "FILE")("Hubs from a Config.json as the official emulator reads it."),
    text("--retention", "TIME")("How long the --hub hubs keep events, as 90s, 1h, 7d. A new hub without it: for ever."),
    text("--retention-bytes", "SIZE")("How much each of their partitions keeps, as 64MB. A new hub without it: all."),
    number(
      "--throughput-units",
      "N"
    )("Capacity of each --hub hub, as the service counts it. A new hub without it: no limit."),
    number("--port", "PORT")("AMQP port, 0 for any free one. Default: 5672."),
    number("--http-port", "PORT")("HTTP port, 0 for any free one. Default: 5300."),
    number("--tls-port", "PORT")("AMQP over TLS, 0 for any free port. Default: no TLS."),
    file("--tls-keystore", "FILE")("PKCS #12 with certificate and key. Default: generated, see GET /certificate."),
    file("--tls-password-file", "FILE")("Its first line is the password of --tls-keystore."),
    repeated("--policy", "NAME:CLAIM[,CLAIM]")(
      "A further shared access policy with Listen, Send or Manage; its key is SAS_KEY_VALUE too. Repeatable."
    ),
    text("--host", "ADDRESS")("Address to listen on. Default: 127.0.0.1, this machine only."),
    file("--data-dir", "DIR")("Keeps hubs and events here over restarts. Default: in memory."),
    flag("--fsync")("With --data-dir: events survive a power loss too, at the price of speed."),
    file("--ready-file", "FILE")("Written when all ports listen: JSON with amqpPort, httpPort, pid."),
    flag("--exit-with-stdin")("Ends when standard input ends, so with the program that started it.")
  )

  private def text(name: String, label: String)(description: String) = value(name, label, classOf[String], description)

  private def number(name: String, label: String)(description: String) = value(name, label, classOf[Int], description)

  private def file(name: String, label: String)(description: String) = value(name, label, classOf[Path], description)

  private def flag(name: String)(description: String): OptionSpec =
    OptionSpec.builder(name).`type`(classOf[Boolean]).arity("0").description(description).build()

  private def repeated(name: String, label: String)(description: String): OptionSpec =
    OptionSpec.builder(name).paramLabel(label).`type`(classOf[JList[_]]).auxiliaryTypes(classOf[String])
      .description(description).build()

  private def value(name: String, label: String, kind: Class[_], description: String): OptionSpec =
    OptionSpec.builder(name).paramLabel(label).`type`(kind).description(description).build()
}
