package localhub

import java.time.Duration

import testkit.TestSuite

class HubConfigSuite extends TestSuite {

  test("names that the service allows are accepted") {
    Seq("a", "A9", "flight-delays", "a.b_c-d", "x" * 256).foreach(HubConfig(_, 1))
  }

  test("other names are refused with the rule") {
    Seq("", "-a", "a-", "a b", "a/b", "ä", "..").foreach { name =>
      val error = intercept[InvalidHubException](HubConfig(name, 1))
      assert(error.getMessage.contains(s"'$name'") && error.getMessage.contains("letters, digits"))
    }
  }

  test("a name that is too long is refused with its length and the limit") {
    val error = intercept[InvalidHubException](HubConfig("x" * 257, 1))
    assert(error.getMessage.contains("257") && error.getMessage.contains("256"))
  }

  test("a hub has 1 to 1024 partitions") {
    Seq(1, 1024).foreach(HubConfig("a", _))
    Seq(0, -1, 1025).foreach { count =>
      assert(intercept[InvalidHubException](HubConfig("a", count)).getMessage.contains(s"$count partitions"))
    }
  }

  test("consumer groups follow the same rules, and $Default may be given") {
    HubConfig("a", 1, Set("$default", "dash-boards"))
    Seq("", "$other", "x" * 51).foreach(group => intercept[InvalidHubException](HubConfig("a", 1, Set(group))))
  }

  test("limits that keep nothing and throughput units out of range are refused") {
    intercept[InvalidHubException](Retention(time = Some(Duration.ZERO)))
    intercept[InvalidHubException](Retention(bytesPerPartition = Some(0)))
    Seq(0, 41).foreach(units => intercept[InvalidHubException](HubConfig("a", 1, throughputUnits = Some(units))))
  }

  test("durations and sizes are parsed in their usual forms") {
    assert(Seq("90s", "1h", "7d", "500ms", "2m", "PT1H30M").map(SettingParser.duration("x", _)) == Seq(
      Duration.ofSeconds(90),
      Duration.ofHours(1),
      Duration.ofDays(7),
      Duration.ofMillis(500),
      Duration.ofMinutes(2),
      Duration.ofMinutes(90)
    ))
    assert(Seq("1000", "64kb", "64MB", "1gb").map(SettingParser.bytes("x", _)) == Seq(
      1000L,
      65536L,
      67108864L,
      1073741824L
    ))
    Seq("1 hour", "h", "", "-1s").foreach { text =>
      assert(intercept[InvalidHubException](SettingParser.duration(
        "retention",
        text
      )).getMessage.contains("retention is"))
    }
    Seq("1TB", "-1", "many", "999999999999999gb").foreach(text =>
      intercept[InvalidHubException](SettingParser.bytes("x", text))
    )
  }
}
