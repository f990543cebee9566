package org.apache.spark.eventhubs.options

/** The reference page for users, generated from the option table. */
object OptionPage {

  val Command = "make options"

  def markdown: String = {
    val sections = Seq(
      OptionScope.Connection -> "Connecting",
      OptionScope.Read -> "Reading",
      OptionScope.Write -> "Writing",
      OptionScope.Registry -> "Bodies with a schema registry"
    ).map { case (scope, title) =>
      table(title, Seq("Option", "Value", "Meaning"), EventHubsOptions.all.filter(_.scope == scope).map(row))
    }
    val legacy =
      table(
        "Options of the legacy connector that have no effect",
        Seq("Option", "Treatment", "Why"),
        LegacyOptions.all.map((legacyRow _).tupled)
      )
    (Seq(introduction, first) ++ sections ++ Seq(values, kafka, legacy)).mkString("\n\n") + "\n"
  }

  private val introduction: String =
    s"""<!-- Generated from ConnectionOptions, ReadOptions and WriteOptions; run
       |     $Command -->
       |# Options
       |
       |Set options with `.option(key, value)` of Spark's readers and writers, in any language. Keys may be in any case.
       |Read options are ignored when writing, and write options when reading, so one set of options can serve both.
       |
       |The connector rejects a key that would have no effect, and names the right one: an unknown key under `eventhubs.`,
       |an option without its prefix (`consumerGroup`), a name with one or two wrong letters (`maxEventPerTrigger`), and
       |[options of Spark's Kafka source](#options-of-sparks-kafka-source). `name`, `partition`, `topic`
       |and `maxRetries` only cause a warning, because other sources have them too. It ignores other keys without the
       |prefix: they belong to Spark or to you. `eventhubs.ignoreUnknownOptions` = `true` turns these refusals into
       |warnings. A wrong value of an option is still refused.
       |
       |In Python, `EventHubsConf` has a keyword for each option, except those under `eventhubs.auth`, which a
       |`credential` sets. The keyword of `eventhubs.maxEventsPerTrigger` is `max_events_per_trigger`. Three keywords
       |differ from that rule: `eventhub_name` (`eventhubs.name`), `fully_qualified_namespace` (`eventhubs.namespace`)
       |and `max_retries` (`eventhubs.retry.maxRetries`). Those under `eventhubs.registry` are for the functions of
       |[the schema registry](guides/schema-registry.md), and no keywords of a conf.""".stripMargin

  /** What most queries set, with a link to each. */
  private val first: String = table(
    "The ten that most people need",
    Seq("To", "set"),
    Seq[(String, Seq[EventHubsOption[_]])](
      "sign in with a key" -> Seq(ConnectionOptions.ConnectionString),
      "sign in with an identity" -> Seq(ConnectionOptions.AuthType, ConnectionOptions.Namespace),
      "choose the event hub" -> Seq(ConnectionOptions.Name),
      "read in a consumer group of its own" -> Seq(ReadOptions.ConsumerGroup),
      "say where a query starts" -> Seq(ReadOptions.StartingPosition),
      "say where a batch read ends" -> Seq(ReadOptions.EndingPosition),
      "limit a micro-batch" -> Seq(ReadOptions.MaxEventsPerTrigger),
      "continue after data loss instead of stopping" -> Seq(ReadOptions.FailOnDataLoss),
      "write exactly once" -> Seq(WriteOptions.Guarantee)
    ).map { case (to, options) =>
      cells(to, options.map(option => s"[${code(option.key)}](#${anchor(option)})").mkString(" and "))
    }
  )

  private val values: String = table(
    "Values",
    Seq("Value", "Written as"),
    Seq(
      cells("duration", "ISO-8601, such as `PT1M30S`, or a number with a unit, such as `30s` or `5 minutes`"),
      cells("bytes", "a number of bytes, or a number with a binary unit, such as `512k` or `16m`"),
      cells(
        "position",
        "`earliest`, `latest`, a sequence number, a time with its zone, such as `2024-01-31T12:00:00Z`, or JSON that sets " +
          "one of the first three fields: `{\"offset\":null,\"seqNo\":100,\"enqueuedTime\":null,\"isInclusive\":true}`"
      ),
      cells(
        "positions",
        "JSON with a position for each named partition: `{\"0\":123,\"1\":\"latest\"}`, or with keys that name the hub: " +
          "`{\"{\\\"ehName\\\":\\\"telemetry\\\",\\\"partitionId\\\":0}\":{\"seqNo\":123}}`"
      ),
      cells("partitions", "partition ids, such as `0,2`, or ranges, such as `0-3`")
    )
  )

  private val kafka: String = table(
    "Options of Spark's Kafka source",
    Seq("Option", "Here"),
    KafkaOptions.all.map { case (name, instead) => cells(code(name), codeQuoted(s"$instead.")) } :+
      cells("`kafka.` and any other name", "Remove it.")
  ) + "\n\n`failOnDataLoss`, `minPartitions` and `maxTriggerDelay` are options of both."

  private def table(title: String, columns: Seq[String], rows: Seq[String]): String =
    (Seq(s"## $title", "", cells(columns: _*), columns.map(_ => "---").mkString("|", "|", "|")) ++ rows).mkString("\n")

  private def row(option: EventHubsOption[_]): String = {
    val names = (option.key +: option.aliases).map(code).mkString("<br>or ")
    val bounds = (option.valueType.minimum, option.valueType.maximum) match {
      case (Some(least), Some(most)) => s", $least to $most"
      case (Some(least), None) => s", from $least"
      case _ => ""
    }
    val value = option.valueType match {
      case choice: OptionType.Choice[_] => choice.words.map { case (word, _) => code(word) }.mkString(", ")
      case other => other.name + bounds
    }
    val default = option.defaultText.fold(option.whenUnset)(code)
    cells(
      s"""<a id="${anchor(option)}"></a>$names""",
      if (default.isEmpty) value else s"$value<br>Default: $default",
      linked(option.doc) + (if (option.secret) " Secret: logs and errors show `***`." else "")
    )
  }

  /** An anchor needs the same characters in each renderer, and none that a link must escape. */
  private def anchor(option: EventHubsOption[_]): String = option.key.stripPrefix("eventhubs.")

  /** Pages that a text names by their files, such as docs/guides/several-hubs.md, as links. */
  private def linked(text: String): String =
    "docs/((?:\\w+/)?([\\w-]+)\\.md)".r.replaceAllIn(
      text,
      page => s"[${page.group(2).replace('-', ' ')}](${page.group(1)})"
    )

  private def legacyRow(key: String, treatment: LegacyOptions.Treatment): String = treatment match {
    case LegacyOptions.Ignored(why) => cells(code(key), "warning", codeQuoted(linked(s"It $why.")))
    case LegacyOptions.Refused(instead, harmlessValues) =>
      val unless = harmlessValues.map(code).mkString(" or ")
      cells(code(key), s"rejected${if (unless.isEmpty) "" else s" unless $unless"}", codeQuoted(linked(instead)))
  }

  private def cells(texts: String*): String = texts.map(_.replace("|", "\\|")).mkString("| ", " | ", " |")

  private def code(text: String): String = s"`$text`"

  private def codeQuoted(text: String): String = text.replaceAll("'([^\\s']+)'", "`$1`")
}
