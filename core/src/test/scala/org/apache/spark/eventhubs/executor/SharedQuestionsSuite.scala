package org.apache.spark.eventhubs.executor

import java.util.concurrent.CountDownLatch

import org.apache.spark.eventhubs.credentials.Plain
import org.apache.spark.eventhubs.signin.SessionLoader
import org.apache.spark.eventhubs.{Background, Credential, TestSettings}
import testkit.TestSuite

class SharedQuestionsSuite extends TestSuite {

  private val provided = Credential.Provided(classOf[Plain].getName, Map.empty)
  private val connection = TestSettings.stream().connection.copy(credential = provided)

  test("a task does not wait for the answer to a session whose class for the sign-in only has the same name") {
    val questions = new SharedQuestions[Int, Int]
    val (begun, ended) = (new CountDownLatch(1), new CountDownLatch(1))
    val (one, other) = (new SessionLoader(classOf[Plain].getName), new SessionLoader(classOf[Plain].getName))
    val first = Background(one.run(questions.ask(connection, 0, () => ()) { begun.countDown(); ended.await(); 1 }))
    begun.await()
    val stop = () => throw new IllegalStateException("the task waits")
    assert(other.run(questions.ask(connection, 0, stop)(2)) == 2)
    intercept[IllegalStateException](one.run(questions.ask(connection, 0, stop)(3)))
    ended.countDown()
    assert(first.result == 1)
  }
}
