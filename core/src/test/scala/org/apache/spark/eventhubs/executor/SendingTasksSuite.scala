package org.apache.spark.eventhubs.executor

import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.apache.spark.TaskKilledException
import org.apache.spark.eventhubs.Background
import testkit.{Eventually, TestSuite}

class SendingTasksSuite extends TestSuite with Eventually {

  private val tasks = new SendingTasks

  private def enter(run: String, partition: Int = 0, write: String = "batch 1"): Option[SendingTasks.TaskPermit] =
    tasks.enter(write, run, partition, checkCancelled = () => ())

  private def blocked[A](what: Background[A]): Boolean = what.state == Thread.State.TIMED_WAITING

  test("tasks of one run, and of other writes, send at the same time") {
    val permits = Seq(enter("run 1"), enter("run 1", partition = 1), enter("run 2", write = "batch 2")).flatten
    assert(permits.map(_.handOver("sent")) == Seq("sent", "sent", "sent"))
    permits.foreach(_.close())
  }

  test("a new run stops the tasks of the old one and waits for their end") {
    val old = enter("old").get
    val run = Background(tasks.endAll("batch 1", checkCancelled = () => ()))
    eventually("the old task may still send")(isStopped(old))
    eventually("the new run does not wait")(blocked(run))
    old.close()
    run.result
    enter("the run after").get.close()
  }

  test("a task of a run that the driver has not seen end keeps the new run from sending, also when it has ended") {
    val old = enter("old").get
    assert(enter("new").isEmpty && isStopped(old))
    old.close()
    assert(enter("new").isEmpty, "what the old task had sent before is not known to this run")
    enter("the run after").get.close()
  }

  test("a new attempt stops the one before, and starts after its end") {
    val first = enter("run").get
    val second = Background(enter("run").get)
    eventually("the first attempt may still send")(isStopped(first))
    eventually("the second attempt does not wait")(blocked(second))
    first.close()
    assert(second.result.handOver("sent") == "sent")
    second.result.close()
  }

  test("a batch that is just handed over is handed over before the new run continues") {
    val old = enter("old").get
    val (handing, finish) = (new CountDownLatch(1), new CountDownLatch(1))
    val batch = Background(old.handOver { handing.countDown(); finish.await(60, TimeUnit.SECONDS) })
    handing.await()
    val run = Background(enter("new"))
    eventually("the new run does not wait")(run.state == Thread.State.BLOCKED)
    finish.countDown()
    assert(batch.result && run.result.isEmpty && isStopped(old))
    old.close()
  }

  private def isStopped(permit: SendingTasks.TaskPermit): Boolean =
    try {
      permit.handOver(())
      false
    } catch { case _: TaskKilledException => true }
}
