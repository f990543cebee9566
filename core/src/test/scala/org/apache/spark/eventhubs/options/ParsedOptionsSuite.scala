package org.apache.spark.eventhubs.options

import org.apache.spark.eventhubs.EventHubsException
import testkit.TestSuite

class ParsedOptionsSuite extends TestSuite {

  private def options(texts: (String, String)*): ParsedOptions = ParsedOptions(texts.toMap, Nil)

  test("a value that is set overrides the default") {
    assert(options("eventhubs.consumerGroup" -> "g").get(ReadOptions.ConsumerGroup).contains("g"))
    assert(options().get(ReadOptions.ConsumerGroup).contains("$Default"))
    assert(options().explicit(ReadOptions.ConsumerGroup).isEmpty)
    assert(options().get(ReadOptions.PrefetchCount).isEmpty)
  }

  test("the error for a missing option names it") {
    val error = intercept[EventHubsException](options()(ConnectionOptions.Namespace))
    assert(error.getCondition == "EVENTHUBS_MISSING_OPTION" && error.getMessage.contains("eventhubs.namespace"))
  }

  test("the error for an invalid value does not show a secret and truncates a long value") {
    val blank =
      intercept[EventHubsException](options("eventhubs.auth.sasToken" -> "  ").get(ConnectionOptions.SasToken))
    assert(blank.getMessage.contains("'eventhubs.auth.sasToken' is '  '"), "a blank text is no secret")
    assert(ConnectionOptions.SasToken.shown("a signature") == "***")
    val long =
      intercept[EventHubsException](options("eventhubs.prefetchCount" -> "9" * 10000).get(ReadOptions.PrefetchCount))
    assert(long.getMessage.length < 400)
  }

  test("toString shows no secrets") {
    assert(options("eventhubs.auth.clientSecret" -> "s3cret", "eventhubs.prefetchCount" -> "5").toString ==
      "ParsedOptions(eventhubs.auth.clientSecret=***, eventhubs.prefetchCount=5)")
  }

  test("a proxy's address is shown without the sign-in that it must not have") {
    Seq("http://ann:s3cret@proxy:3128", "ann:s3/cret@proxy:3128", "ann:s3//cret@proxy:3128", "ann:s3@cret@proxy:3128")
      .foreach { value =>
        val set = options("eventhubs.proxy.address" -> value)
        val error = intercept[EventHubsException](set.get(ConnectionOptions.ProxyAddressOption))
        assert(error.getMessage.contains("'eventhubs.proxy.address' is '***@proxy:3128'"))
        assert(set.toString == "ParsedOptions(eventhubs.proxy.address=***@proxy:3128)")
      }
    assert(options("eventhubs.proxy.address" -> "proxy:3128").shown == "eventhubs.proxy.address=proxy:3128")
  }
}
