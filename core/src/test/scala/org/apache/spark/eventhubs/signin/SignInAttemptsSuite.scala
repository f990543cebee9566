package org.apache.spark.eventhubs.signin

import java.time.Duration

import testkit.TestSuite

class SignInAttemptsSuite extends TestSuite {

  private class Fixture {
    var millis = 0L
    val attempts = new SignInAttempts(
      waited => new RuntimeException(s"no answer within ${waited.toMillis} ms"),
      nanos = () => millis * 1000000L
    )
    def found: Option[String] = attempts.lastFailure(Duration.ofMinutes(1)).map(_.getMessage)
  }

  test("the last failure is known until an attempt gives a token") {
    val f = new Fixture
    assert(f.found.isEmpty)
    f.attempts.begin().failed(new RuntimeException("refused"))
    f.attempts.begin().failed(new RuntimeException("busy"))
    assert(f.found.contains("busy"))
    f.attempts.begin().gaveToken()
    assert(f.found.isEmpty)
  }

  test("a failure explains nothing that happens long after it") {
    val f = new Fixture
    f.attempts.begin().failed(new RuntimeException("refused"))
    f.millis += 60000
    assert(f.found.contains("refused"))
    f.millis += 1
    assert(f.found.isEmpty)
  }

  test("an attempt that waits, or was abandoned, counts when it has waited for long") {
    val f = new Fixture
    val attempt = f.attempts.begin()
    f.millis += 899
    assert(f.found.isEmpty)
    f.millis += 1
    assert(f.found.contains("no answer within 900 ms"))
    attempt.abandoned()
    assert(f.found.contains("no answer within 900 ms"))

    val g = new Fixture
    val short = g.attempts.begin()
    g.millis += 899
    short.abandoned()
    g.millis += 1
    assert(g.found.isEmpty)
  }

  test("an attempt that began before another one gave a token says nothing any more") {
    val f = new Fixture
    val (waits, fails, isAbandoned) = (f.attempts.begin(), f.attempts.begin(), f.attempts.begin())
    f.millis += 5000
    f.attempts.begin().gaveToken()
    fails.failed(new RuntimeException("refused"))
    isAbandoned.abandoned()
    assert(f.found.isEmpty)
    waits.gaveToken()
    assert(f.found.isEmpty)
  }
}
