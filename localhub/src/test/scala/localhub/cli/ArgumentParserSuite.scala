package localhub.cli

import java.nio.file.{Files, Path}
import java.time.Duration

import localhub.auth.{Claim, SharedAccessPolicy}
import localhub.schemas.{SchemaFormat, SchemaGroupConfig}
import localhub.{HubConfig, KeyStoreFile, LocalHubException, Retention, ServiceSettings, TlsConfig}
import testkit.TestSuite

class ArgumentParserSuite extends TestSuite {

  private def parse(args: String*): Arguments = ArgumentParser.parse(args).toOption.get
  private def mistake(args: String*): String = intercept[UsageException](ArgumentParser.parse(args)).getMessage

  test("the defaults are no hubs, the standard ports, loopback, in memory") {
    val Arguments(hub, readyFile, exitWithStdin) = parse()
    assert((hub.hubs, hub.amqpPort, hub.httpPort, hub.host, hub.dataDir) == (Nil, 5672, 5300, "127.0.0.1", None))
    assert(readyFile.isEmpty && !exitWithStdin)
  }

  test("all options are read") {
    val all = parse(
      "--hub",
      "telemetry:4",
      "--hub=alerts:2:audit,dash",
      "--port",
      "0",
      "--http-port",
      "1",
      "--host",
      "::1",
      "--data-dir",
      "d",
      "--fsync",
      "--ready-file",
      "r",
      "--exit-with-stdin"
    )
    assert(all.hub.hubs == Seq(HubConfig("telemetry", 4), HubConfig("alerts", 2, Set("audit", "dash"))))
    assert((all.hub.amqpPort, all.hub.httpPort, all.hub.host) == (0, 1, "::1"))
    assert(all.hub.dataDir.contains(Path.of("d")) && all.hub.fsync)
    assert(all.readyFile.contains(Path.of("r")) && all.exitWithStdin)
  }

  test("policies have the given claims and the fixed key, in addition to the root policy") {
    val policies = parse("--policy", "sender:Send", "--policy", "both:listen,Send").hub.policies
    assert(policies == Seq(
      SharedAccessPolicy.Root,
      SharedAccessPolicy("sender", "SAS_KEY_VALUE", Set(Claim.Send)),
      SharedAccessPolicy("both", "SAS_KEY_VALUE", Set(Claim.Listen, Claim.Send))
    ))
    assert(mistake("--policy", "x:Write").contains("--policy x:Write: expected NAME:CLAIM"))
    assert(mistake("--policy", "Send").contains("expected NAME:CLAIM"))
    assert(mistake("--policy", "a:Send", "--policy", "a:Listen").contains("a policy with this name already exists"))
  }

  test("a schema group has a format, Avro by default") {
    val groups = parse("--schema-group", "people", "--schema-group", "plain:JSON").hub.schemaGroups
    assert(groups == Seq(SchemaGroupConfig("people", SchemaFormat.Avro), SchemaGroupConfig("plain", SchemaFormat.Json)))
    assert(mistake("--schema-group", "a:xml").contains("--schema-group a:xml: expected NAME or NAME:FORMAT"))
    assert(mistake("--schema-group", "$a").contains("cannot be the name of a schema group"))
  }

  test("retention and throughput units apply to the hubs of the command line") {
    val hubs = parse(
      "--hub",
      "a:1",
      "--hub",
      "b:2",
      "--retention",
      "1h",
      "--retention-bytes",
      "1MB",
      "--throughput-units",
      "2"
    ).hub.hubs
    assert(hubs.map(_.retention).distinct == Seq(Retention(Some(Duration.ofHours(1)), Some(1L << 20))))
    assert(hubs.map(_.throughputUnits).distinct == Seq(Some(2)))
  }

  test("TLS has its own port, and a key store with its password in a file") {
    val password = Files.createTempFile("password", ".txt")
    Files.writeString(password, "p4ss\n")
    assert(parse("--tls-port", "0").hub.tls.contains(TlsConfig(0)))
    val stated = parse("--tls-port", "1", "--tls-keystore", "s.p12", "--tls-password-file", password.toString).hub.tls
    assert(stated.contains(TlsConfig(1, Some(KeyStoreFile(Path.of("s.p12"), "p4ss")))))
    assert(mistake("--tls-keystore", "s.p12").contains("need --tls-port"))
    assert(mistake("--tls-port", "0", "--tls-keystore", "s.p12").contains("must be used together"))
    assert(mistake("--tls-port", "0", "--tls-keystore", "s", "--tls-password-file", "/nowhere").contains("/nowhere"))
  }

  test("hubs of a config file are added to those of the command line") {
    val file = Files.createTempFile("Config", ".json")
    Files.writeString(
      file,
      """{"UserConfig":{"NamespaceConfig":[{"Type":"EventHub","Name":"emulatorNs1",
        |"Entities":[{"Name":"eh1","PartitionCount":"2"}]}],"LoggingConfig":{"Type":"File"}}}""".stripMargin
    )
    assert(parse("--config", file.toString, "--hub", "eh2:1").hub.hubs.map(_.name) == Seq("eh1", "eh2"))
    assert(mistake("--config", file.toString, "--hub", "EH1:2").contains("given 2 times"))
  }

  test("a mistake is reported in one line that names it") {
    assert(mistake("--hub", "telemetry").contains("expected NAME:PARTITIONS"))
    assert(mistake("--hub", "telemetry:x").contains("'x' is not a number"))
    assert(mistake("--hub", "telemetry:0").contains("0 partitions"))
    assert(mistake("--hub", "a b:1").contains("'a b'"))
    assert(mistake("--port", "70000").contains("--port 70000"))
    assert(mistake("--port", "many").contains("many"))
    assert(mistake("--prot", "1") == "No such option --prot. Did you mean --port? See --help.")
    assert(mistake("--datadir=x") == "No such option --datadir=x. Did you mean --data-dir? See --help.")
    assert(mistake("--zzz") == "No such option --zzz. See --help.")
    assert(mistake("--fsync").contains("--data-dir"))
    assert(mistake("--hub", "a:1", "--hub", "A:1").contains("given 2 times"))
  }

  test("the service's rules: time scale, largest message, management, unsettled readers") {
    val parsed = ArgumentParser.parse(Seq(
      "--service-time-scale=0.01",
      "--max-message-size=256KB",
      "--management-limit=50",
      "--management-max-age=2s",
      "--unsettled-readers"
    )).toOption.get.hub.service
    assert(parsed == ServiceSettings(0.01, 262144, unsettledReaders = true, Some(50), Duration.ofSeconds(2)))
    assert(ArgumentParser.parse(Nil).toOption.get.hub.service == ServiceSettings())
    val strict = ArgumentParser.parse(Seq("--service=strict", "--management-limit=50")).toOption.get.hub.service
    assert(strict == ServiceSettings.Strict.copy(managementPerSecond = Some(50)))
    assert(mistake("--service", "lax") == "--service lax: expected strict.")
    assert(mistake("--service-time-scale", "fast").contains("fast"))
    Seq("--service-time-scale=0", "--max-message-size=30MB", "--management-limit=0").foreach { wrong =>
      assert(intercept[LocalHubException](ArgumentParser.parse(Seq(wrong))).getMessage.contains("expected"), wrong)
    }
  }

  test("--help lists every option, --version prints a version") {
    val help = ArgumentParser.parse(Seq("--help")).swap.toOption.get
    val options = Seq(
      "--hub",
      "--config",
      "--port",
      "--http-port",
      "--host",
      "--data-dir",
      "--fsync",
      "--ready-file",
      "--exit-with-stdin"
    )
    assert(options.forall(help.contains))
    assert(ArgumentParser.parse(Seq("--version")).swap.exists(_.startsWith("spark-eventhubs-localhub ")))
  }
}
