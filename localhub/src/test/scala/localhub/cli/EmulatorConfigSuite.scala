package localhub.cli

import java.nio.file.{Files, Path}
import java.time.Duration

import localhub.{Compaction, HubConfig, Retention}
import testkit.TestSuite

class EmulatorConfigSuite extends TestSuite {

  private def config(entities: String): String =
    s"""{"UserConfig": {"NamespaceConfig": [{"Type": "EventHub", "Name": "emulatorNs1", "Entities": $entities}],
       |  "LoggingConfig": {"Type": "File"}}}""".stripMargin

  private def mistake(text: String): String = intercept[Exception](EmulatorConfig.parse(text)).getMessage

  test("hubs, partition counts as strings and consumer groups are read") {
    val text = config("""[{"Name": "eh1", "PartitionCount": "2", "ConsumerGroups": [{"Name": "cg1"}, {"Name": "cg2"}]},
                        | {"Name": "eh2", "PartitionCount": 3}]""".stripMargin)
    assert(EmulatorConfig.parse(text) == Seq(HubConfig("eh1", 2, Set("cg1", "cg2")), HubConfig("eh2", 3)))
  }

  test("an entity may have its own retention and throughput units") {
    val text = config("""[{"Name": "eh1", "PartitionCount": "2", "RetentionTime": "1h", "RetentionBytes": "64MB",
                        | "ThroughputUnits": 2}]""".stripMargin)
    val expected = HubConfig("eh1", 2, Set.empty, Retention(Some(Duration.ofHours(1)), Some(64L << 20)), Some(2))
    assert(EmulatorConfig.parse(text) == Seq(expected))
    assert(
      mistake(config("""[{"Name": "a", "PartitionCount": "2", "RetentionTime": "long"}]""")).contains("RetentionTime")
    )
  }

  test("an entity may have a cleanup policy") {
    def parsed(more: String): Option[Compaction] =
      EmulatorConfig.parse(config(s"""[{"Name": "eh1", "PartitionCount": "2"$more}]""")).head.compaction
    assert(parsed("").isEmpty && parsed(""", "CleanupPolicy": "Delete"""").isEmpty)
    assert(parsed(""", "CleanupPolicy": "Compact"""").contains(Compaction()))
    assert(parsed(""", "CleanupPolicy": "Compact", "TombstoneRetention": "2h", "MinCompactionLag": "5m"""") ==
      Some(Compaction(Duration.ofHours(2), Duration.ofMinutes(5))))
    assert(intercept[Exception](parsed(""", "TombstoneRetention": "2h"""")).getMessage.contains("TombstoneRetention"))
  }

  test("the error names a missing or wrong field") {
    assert(mistake("{").contains("not JSON"))
    assert(mistake("{}").contains("'UserConfig' is missing"))
    assert(mistake("[]").contains("'UserConfig' is missing"))
    assert(mistake("""{"UserConfig": {"NamespaceConfig": []}}""").contains("0 namespaces"))
    assert(mistake(config("""[{"PartitionCount": "2"}]""")).contains("'Name' is missing"))
    assert(mistake(config("""[{"Name": "a", "PartitionCount": "two"}]""")).contains("PartitionCount"))
    assert(mistake(config("""[{"Name": "a/b", "PartitionCount": "2"}]""")).contains("'a/b'"))
    assert(mistake(config("""["a"]""")).contains("an entity"))
  }

  test("a byte order mark and null for what is left out are accepted") {
    val file = Files.createTempFile("Config", ".json")
    val text =
      config("""[{"Name": "eh1", "PartitionCount": "2", "ConsumerGroups": null, "RetentionTime": null}]""")
    Files.writeString(file, s"\uFEFF$text")
    assert(EmulatorConfig.read(file) == Seq(HubConfig("eh1", 2)))
  }

  test("the error names a file that is not text, without a Java exception") {
    val file = Files.write(Files.createTempFile("Config", ".json"), Array[Byte](-1, -2, 0))
    val message = intercept[UsageException](EmulatorConfig.read(file)).getMessage
    assert(message == s"--config $file cannot be read: it is not UTF-8 text.")
  }

  test("the error names a missing file") {
    assert(intercept[UsageException](
      EmulatorConfig.read(Path.of("/nowhere/Config.json"))
    ).getMessage.contains("/nowhere/Config.json"))
  }
}
