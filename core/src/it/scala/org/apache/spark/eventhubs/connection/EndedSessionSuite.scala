package org.apache.spark.eventhubs.connection

import org.scalatest.time.Seconds

import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.receive.PrefetchQueue
import testkit.{Patience, TestSuite}

/** The service ends a reader's session and keeps the connection. */
class EndedSessionSuite extends TestSuite with SessionEndingFixture {

  // The links of the SDK alone end after 15 to 32 seconds.
  implicit override def patienceConfig: PatienceConfig = super.patienceConfig.copy(timeout = Patience(10, Seconds))

  private def reading(test: (String, SessionEndingProxy, ReadSettings) => Unit): Unit = through(1)(test)

  test("a reader notices at once that its session was ended, with the reason, and the connection can be used again") {
    reading { (name, proxy, settings) =>
      val client = new AzureEventHubsClient(settings.connection)
      try {
        def open(from: Long) = {
          val queue = new PrefetchQueue(10)
          client.subscribe(ReceiveLink("$Default", 0, from, None), queue)
          queue
        }
        val first = open(0)
        take(first, 3)
        proxy.endSessions("amqp:internal-error", "The service was unable to process the request.")
        eventually("the link has ended")(first.ended.isDefined)
        first.ended match {
          case Some(PrefetchQueue.Ending.Failed(error)) =>
            assert(SdkErrors.isTransient(error) && error.getMessage.contains("unable to process the request"))
          case other => fail(s"the link ended with $other")
        }
        send(name, 2)
        take(open(3), 2)
      } finally client.close()
    }
  }

  test("a session that was ended without a reason: the next link is on another session") {
    reading { (name, proxy, settings) =>
      val client = new AzureEventHubsClient(settings.connection)
      try {
        var first = new PrefetchQueue(10)
        client.subscribe(ReceiveLink("$Default", 0, 0, None), first)
        take(first, 3)
        (3L to 4L).foreach { from =>
          proxy.endSessionsWithoutError()
          eventually("the link has ended")(first.ended.isDefined)
          first.ended match {
            case Some(PrefetchQueue.Ending.Failed(error)) => assert(SdkErrors.isTransient(error))
            case other => fail(s"the link ended with $other")
          }
          send(name, 1)
          first = new PrefetchQueue(10)
          client.subscribe(ReceiveLink("$Default", 0, from, None), first)
          take(first, 1)
        }
      } finally client.close()
    }
  }

  test("a session that was ended for lack of a claim is a refused credential") {
    reading { (_, proxy, settings) =>
      val client = new AzureEventHubsClient(settings.connection)
      try {
        val queue = new PrefetchQueue(10)
        client.subscribe(ReceiveLink("$Default", 0, 0, None), queue)
        take(queue, 3)
        proxy.endSessions("amqp:unauthorized-access", "Unauthorized access. 'Listen' claim(s) are required.")
        eventually("the link has ended")(queue.ended.isDefined)
        queue.ended match {
          case Some(PrefetchQueue.Ending.Failed(error)) =>
            val ours = SdkErrors.translate(error, settings.connection.hub, "reading")
            assert(ours.getCondition == "EVENTHUBS_AUTHENTICATION")
          case other => fail(s"the link ended with $other")
        }
      } finally client.close()
    }
  }
}
