package org.apache.spark.sql.eventhubs

import org.apache.spark.sql.internal.SQLConf
import testkit.TestSuite

class SecretRedactionSuite extends TestSuite {

  private val withKey = "Endpoint=sb://h.servicebus.windows.net/;SharedAccessKeyName=a;SharedAccessKey=b;EntityPath=t"

  private def warning(regex: String, options: (String, String)*): Option[String] = {
    val conf = new SQLConf
    conf.setConfString("spark.redaction.regex", regex)
    SecretRedaction.warning(options.toMap, conf)
  }

  /** The defaults of Spark 3.5.1 and older, and of newer versions. */
  private val (old, now) = ("(?i)secret|password|token|access[.]key", "(?i)secret|password|token|access[.]?key")

  test("a key that Spark would show is named, with the setting that hides it") {
    val text = warning(old, "eventhubs.connectionString" -> withKey).getOrElse(fail("no warning"))
    assert(text.contains("'eventhubs.connectionString'") && !text.contains(withKey))
    assert(text.contains("'spark.sql.redaction.options.regex' = '(?i)url|connectionString'"))
    assert(warning(now, "eventhubs.connectionString" -> withKey).isEmpty)
  }

  test("the setting that the warning names hides the value") {
    val conf = new SQLConf
    conf.setConfString("spark.redaction.regex", old)
    conf.setConfString("spark.sql.redaction.options.regex", "(?i)url|connectionString")
    assert(SecretRedaction.warning(Map("eventhubs.connectionstring" -> withKey), conf).isEmpty)
  }

  test("a signature in a connection string is shown by every version of Spark") {
    val signed = "Endpoint=sb://h.servicebus.windows.net/;SharedAccessSignature=b;EntityPath=t"
    Seq(old, now).foreach(regex => assert(warning(regex, "eventhubs.connectionString" -> signed).isDefined))
  }

  test("options that have secrets in their names are hidden, unless the user's expression misses them") {
    val secrets = Seq("clientSecret", "sasToken").map(name => s"eventhubs.auth.$name" -> "x") :+
      ("eventhubs.proxy.password" -> "x")
    assert(warning(old, secrets: _*).isEmpty)
    val text = warning("(?i)nothing", secrets: _*).getOrElse(fail("no warning"))
    assert(text.contains("clientSecret|sasToken|password"))
  }

  test("the key of a storage account and a container's SAS token are shown by every version of Spark") {
    val account = "DefaultEndpointsProtocol=https;AccountName=contoso;AccountKey=aGlkZGVu"
    val container = "https://contoso.blob.core.windows.net/box"
    Seq(old, now).foreach { regex =>
      val text = warning(
        regex,
        "eventhubs.checkpointStore.connectionString" -> account,
        "eventhubs.checkpointStore.container" -> s"$container?sig=hidden"
      ).getOrElse(fail("no warning"))
      assert(text.contains("'eventhubs.checkpointStore.connectionString', 'eventhubs.checkpointStore.container'"))
      assert(warning(regex, "eventhubs.checkpointStore.container" -> container).isEmpty)
    }
  }

  test("values that are no secrets need no redaction") {
    val withoutKey = "Endpoint=sb://h.servicebus.windows.net/;EntityPath=t"
    assert(warning(old, "eventhubs.connectionString" -> withoutKey, "path" -> withKey, "eventhubs.name" -> "t").isEmpty)
  }
}
