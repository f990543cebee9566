package org.apache.spark.sql.eventhubs

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.eventhubs.options.EventHubsOptions
import org.apache.spark.internal.Logging
import org.apache.spark.sql.internal.SQLConf

/**
 * Warns when Spark would show the value of a secret option, for example in `SHOW CREATE TABLE` and in the event log.
 * Spark hides what matches its redaction settings, and their defaults differ between its versions: those of 3.5.0 and
 * 3.5.1 do not hide a connection string.
 *
 * It does not refuse the query: whether the value gets out depends on who reads catalog and event log, and a refusal
 * would stop queries that have run for years.
 */
private[eventhubs] object SecretRedaction extends Logging {

  private val said = ConcurrentHashMap.newKeySet[String]()

  /** Says each warning once in this JVM, because Spark creates several objects for a query. */
  def check(options: Map[String, String]): Unit =
    warning(options, SQLConf.get).filter(said.add).foreach(text => logWarning(text))

  /** None when Spark hides all secrets of these options. */
  def warning(options: Map[String, String], conf: SQLConf): Option[String] = {
    val shown = for {
      (name, value) <- options.toSeq.sortBy(_._1)
      option <- Option(value).flatMap(EventHubsOptions.secret(name, _))
      if conf.redactOptions(Map(name -> value)).get(name).contains(value)
    } yield option.key
    Option.when(shown.nonEmpty) {
      val names = shown.distinct
      s"Spark's redaction does not hide ${names.map(name => s"'$name'").mkString(", ")}: Spark shows the value in " +
        "SHOW CREATE TABLE and DESCRIBE EXTENDED, in its UI and in the event log. Set " +
        s"'${SQLConf.SQL_OPTIONS_REDACTION_PATTERN.key}' = '(?i)url|${names.map(lastPart).mkString("|")}', or use an " +
        "identity instead of a key."
    }
  }

  private def lastPart(key: String): String = key.split('.').last
}
