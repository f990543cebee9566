package org.apache.spark.sql.eventhubs.planning

import org.scalatest.funsuite.AnyFunSuite

import org.apache.spark.eventhubs.rdd.ReadTotals

class LearnedEventSizeSuite extends AnyFunSuite {

  private def totals(events: Long, bytes: Long) = ReadTotals.Zero.copy(events = events, bytes = bytes)

  test("nothing is known before anything was read") {
    assert(new LearnedEventSize().learn(ReadTotals.Zero).isEmpty)
  }

  test("growth counts at once, shrinking by half") {
    val size = new LearnedEventSize
    assert(size.learn(totals(10, 1000)).contains(100.0))
    assert(size.learn(totals(20, 3000)).contains(200.0))
    assert(size.learn(totals(30, 4000)).contains(150.0))
  }

  test("the same totals teach nothing twice") {
    val size = new LearnedEventSize
    size.learn(totals(10, 1000))
    size.learn(totals(20, 1500))
    assert(size.learn(totals(20, 1500)).contains(75.0))
  }
}
