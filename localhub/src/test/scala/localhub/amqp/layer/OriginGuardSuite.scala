package localhub.amqp.layer

import testkit.TestSuite

class OriginGuardSuite extends TestSuite {

  private def refused(listening: String, host: String, origin: Option[String] = None): Boolean =
    new OriginGuard(listening).refusal(Some(host), origin).isDefined

  test("on loopback only host names of this machine are accepted") {
    Seq("localhost:5300", "LOCALHOST", "127.0.0.1:5300", "127.0.1.1", "[::1]:5300").foreach(host =>
      assert(!refused("127.0.0.1", host))
    )
    Seq("evil.example:5300", "127.0.0.1.evil.example", "", "a b").foreach(host => assert(refused("127.0.0.1", host)))
    assert(new OriginGuard("127.0.0.1").refusal(None, None).isDefined)
  }

  test("on other addresses any host name is accepted") {
    assert(!refused("0.0.0.0", "hub.intern:5300"))
  }

  test("only pages of the hub itself may use it") {
    assert(!refused("127.0.0.1", "localhost:5300", Some("http://localhost:5300")))
    assert(!refused("127.0.0.1", "localhost:5671", Some("https://localhost:5671")))
    assert(refused("127.0.0.1", "localhost:5300", Some("http://localhost:8080")))
    assert(refused("0.0.0.0", "hub.intern:5300", Some("https://evil.example")))
  }
}
