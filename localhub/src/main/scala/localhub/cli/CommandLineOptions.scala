package localhub.cli

import java.nio.file.Path
import java.util.{List => JList}

import picocli.CommandLine.Model.OptionSpec

/** All options of the program, in the order of `--help`. */
private[cli] object CommandLineOptions {

  val all: Seq[OptionSpec] = Seq(
    repeated("--hub", "NAME:N[:GROUP,..]")("An event hub with N partitions and its consumer groups. Repeatable."),
    file("--config", "FILE")("Event hubs from a Config.json of the official emulator."),
    text("--retention", "TIME")("How long the --hub hubs keep events: 90s, 1h, 7d. Default for a new hub: for ever."),
    text(
      "--retention-bytes",
      "SIZE"
    )("Bytes that each of their partitions keeps: 64MB. Default for a new hub: no limit."),
    number(
      "--throughput-units",
      "N"
    )("Throughput units of each --hub hub. Default for a new hub: no limit."),
    text("--cleanup-policy", "POLICY")(
      "compact keeps of each partition key the latest event; delete does not. For each --hub hub. Default: delete."
    ),
    text("--tombstone-retention", "TIME")("How long a compacted hub keeps tombstones. Default: 1h."),
    text("--min-compaction-lag", "TIME")("Younger events of a compacted hub are not compacted. Default: 1m."),
    repeated("--schema-group", "NAME[:FORMAT]")(
      "A group of the schema registry: avro, json, custom or protobuf. Repeatable. Default format: avro."
    ),
    number("--port", "PORT")("AMQP port, 0 for any free one. Default: 5672."),
    number("--http-port", "PORT")("HTTP port, 0 for any free one. Default: 5300."),
    number("--tls-port", "PORT")("AMQP over TLS, 0 for any free port. Default: no TLS."),
    file(
      "--tls-keystore",
      "FILE"
    )("PKCS #12 file with certificate and key. Default: a generated one, see GET /certificate."),
    file("--tls-password-file", "FILE")("File whose first line is the password of --tls-keystore."),
    number(
      "--authority-port",
      "PORT"
    )("A stand-in for Microsoft Entra ID, over https on this port, 0 for any free one. Default: none."),
    file("--authority-config", "FILE")("JSON file with the authority's tenantId, tokenLifetime and applications."),
    repeated("--policy", "NAME:CLAIM[,CLAIM]")(
      "A further shared access policy with Listen, Send or Manage; its key is SAS_KEY_VALUE. Repeatable."
    ),
    text("--service", "PROFILE")(
      "strict: what is not known of the service is against its clients. The options below win. Default: none."
    ),
    text(
      "--service-time-scale",
      "FACTOR"
    )("Shortens the service's long times: 0.01 makes 30 minutes 18 seconds. Default: 1."),
    text("--max-message-size", "SIZE")("Largest event or batch: 256KB, 1MB, 20MB, as the tiers have it. Default: 1MB."),
    number(
      "--management-limit",
      "N"
    )("Requests for properties that are answered in a second; the service documents 50. Default: no limit."),
    text(
      "--management-max-age",
      "TIME"
    )("An answer with partition properties may be as old as this: 500ms, 2s. Default: none is old."),
    flag("--unsettled-readers")("A reader that asks for unsettled events gets them so; the service settles all."),
    text("--host", "ADDRESS")("Address to listen on. Default: 127.0.0.1, this machine only."),
    file("--data-dir", "DIR")("Folder that keeps hubs and events over restarts. Default: in memory."),
    flag("--fsync")("With --data-dir: an append waits for the disk, so events survive a power loss. Slower."),
    file(
      "--ready-file",
      "FILE"
    )("File to write when all ports listen: JSON with amqpPort, httpPort, pid, and tlsPort with TLS."),
    flag("--exit-with-stdin")("Ends when its standard input ends, that is, with the program that started it.")
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
