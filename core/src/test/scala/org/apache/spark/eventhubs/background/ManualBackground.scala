package org.apache.spark.eventhubs.background

import java.time.Duration

import scala.collection.mutable

import org.apache.spark.util.ManualTime

/** Runs background work when the test says so, in the test's thread. */
final class ManualBackground(clock: ManualTime) extends Background {

  private val work = mutable.ArrayBuffer.empty[(Long, () => Unit)]

  /** Number of pieces of work that wait for their time. */
  def waiting: Int = work.length

  override def run(next: () => Unit): Unit = runAfter(0)(next)

  override def runAfter(nanos: Long)(next: () => Unit): Unit = { work += ((clock.nanoTime() + nanos, next)); () }

  /** Runs what is due. */
  def runDue(): Unit = {
    val due = work.filter(_._1 - clock.nanoTime() <= 0)
    work --= due
    due.foreach { case (_, next) => next() }
    if (due.nonEmpty) runDue()
  }

  /** Lets time pass, and then runs what is due. */
  def pass(time: Duration): Unit = {
    clock.advance(time)
    runDue()
  }
}
