package localhub

import org.scalatest.funsuite.AnyFunSuite

class HubConfigSuite extends AnyFunSuite {

  test("the names that the service takes are taken") {
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

  test("consumer groups follow the rules too, and $Default may be named") {
    HubConfig("a", 1, Set("$default", "dash-boards"))
    Seq("", "$other", "x" * 51).foreach(group => intercept[InvalidHubException](HubConfig("a", 1, Set(group))))
  }
}
