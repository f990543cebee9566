package org.apache.spark.eventhubs.connection

import java.util.concurrent.{CompletableFuture, ExecutionException, TimeUnit, TimeoutException}

import org.scalatest.time.Seconds

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import org.apache.spark.eventhubs.amqp.{OutgoingBody, OutgoingEvent}
import org.apache.spark.eventhubs.connection.SessionEndingProxy._
import org.apache.spark.eventhubs.options.{ConnectionSettings, WriteDestination}
import org.apache.spark.eventhubs.receive.PrefetchQueue
import testkit.{Patience, TestSuite}

/** The service ends sessions, links or connections and gives no reason. */
class EndedWithoutReasonSuite extends TestSuite with SessionEndingFixture {

  // An attempt that waits for its time to end takes longer.
  implicit override def patienceConfig: PatienceConfig = super.patienceConfig.copy(timeout = Patience(10, Seconds))

  private def through(test: (String, SessionEndingProxy, ConnectionSettings) => Unit): Unit =
    through(2, "eventhubs.operationTimeout" -> "2m")((name, proxy, settings) => test(name, proxy, settings.connection))

  private def open(client: AzureEventHubsClient, partition: Int, from: Long): PrefetchQueue = {
    val queue = new PrefetchQueue(10)
    client.subscribe(ReceiveLink("$Default", partition, from, None), queue)
    queue
  }

  Seq(Session, OnlyLink, Connection).foreach { what =>
    test(s"a reader whose $what ended notices at once, and the next link reads on") {
      through { (name, proxy, settings) =>
        val client = new AzureEventHubsClient(settings)
        try {
          val first = open(client, 0, 0)
          take(first, 3)
          assert(proxy.endWithoutError(Reader, what) == 1)
          eventually("the link has ended")(first.ended.isDefined)
          send(name, 1)
          take(open(client, 0, 3), 1)
        } finally client.close()
      }
    }

    test(s"a sender whose $what ended sends again at once") {
      through { (_, proxy, settings) =>
        val producer = EventHubsProducerClient.open(settings)
        try {
          // One attempt may fail, as the writer's attempts may.
          def sendOne(): Boolean =
            try {
              val batch = producer.newBatch(WriteDestination.ToPartition("1"), None).get(8, TimeUnit.SECONDS)
              assert(batch.tryAdd(event) == EventBatch.Added)
              producer.send(batch).get(8, TimeUnit.SECONDS)
              true
            } catch {
              case failed: ExecutionException if SdkErrors.isTransient(failed) => false
              case late: TimeoutException => fail("an attempt has no answer", late)
            }
          assert(sendOne())
          assert(proxy.endWithoutError(Sender, what) == 1)
          eventually("it is sent")(sendOne())
        } finally producer.close()
      }
    }

    test(s"claims can be sent at once after the $what for them has ended") {
      through { (_, proxy, settings) =>
        val client = new AzureEventHubsClient(settings)
        try {
          take(open(client, 0, 0), 3)
          assert(proxy.endWithoutError(Claims, what) > 0)
          take(open(client, 1, 0), 3)
        } finally client.close()
      }
    }

    test(s"questions have their answers at once after the $what for them has ended") {
      through { (_, proxy, settings) =>
        val client = new AzureEventHubsClient(settings)
        try {
          client.hubProperties()
          assert(proxy.endWithoutError(Questions, what) > 0)
          val began = System.nanoTime()
          assert(client.partitionBounds(Seq(0, 1)).keySet == Set(0, 1))
          info(s"after ${TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began)} ms")
        } finally client.close()
      }
    }
  }

  /** What waits for an answer must not wait for its whole time. */
  Seq(Session, OnlyLink, Connection).foreach { what =>
    test(s"a batch without an answer fails at once when its $what ends") {
      through { (name, proxy, settings) =>
        val producer = EventHubsProducerClient.open(settings)
        try {
          val batch = producer.newBatch(WriteDestination.ToPartition("1"), None).get(8, TimeUnit.SECONDS)
          batch.tryAdd(event)
          whileUnanswered(Fault(FaultAction.Stall, Occasion.Stored, FaultScope(hub = Some(name)))) { isHit =>
            val sent = producer.send(batch)
            eventually("the batch waits")(isHit())
            assert(proxy.endWithoutError(Sender, what) == 1)
            eventually("it has failed")(sent.isCompletedExceptionally)
          }
        } finally producer.close()
      }
    }

    test(s"a question without an answer is asked again at once when its $what ends") {
      through { (name, proxy, settings) =>
        val client = new AzureEventHubsClient(settings)
        try {
          client.hubProperties()
          val fault = Fault(FaultAction.LoseAnswer, Occasion.ManageHub, FaultScope(hub = Some(name)), count = Some(1))
          whileUnanswered(fault) { isHit =>
            val answer = CompletableFuture.supplyAsync(() => client.hubProperties().partitionIds)
            eventually("the question waits")(isHit())
            assert(proxy.endWithoutError(Questions, what) > 0)
            eventually("it has an answer")(answer.isDone)
            assert(answer.get() == Seq(0, 1))
          }
        } finally client.close()
      }
    }

    test(s"a link whose claim has no answer opens at once, or can be opened, when the $what for claims ends") {
      through { (_, proxy, settings) =>
        val client = new AzureEventHubsClient(settings)
        try {
          take(open(client, 0, 0), 3)
          val late = FaultAction.Delay(java.time.Duration.ofMinutes(5))
          whileUnanswered(Fault(late, Occasion.PutToken, count = Some(1))) { isHit =>
            val waiting = open(client, 1, 0)
            waiting.request(1)
            eventually("the claim waits")(isHit())
            assert(proxy.endWithoutError(Claims, what) > 0)
            eventually("it has an answer")(waiting.ended.isDefined || !waiting.isEmpty)
            if (waiting.ended.isDefined) take(open(client, 1, 0), 3)
          }
        } finally client.close()
      }
    }
  }

  private def whileUnanswered(fault: Fault)(test: (() => Boolean) => Unit): Unit = {
    val injected = localHub.faults.inject(fault)
    try test(() => !localHub.faults.active.exists(known => known.id == injected.id && known.hits == 0))
    finally { val _ = localHub.faults.cancel(injected.id) }
  }

  private def event: OutgoingEvent = EndedWithoutReasonSuite.event
}

object EndedWithoutReasonSuite {
  private def event: OutgoingEvent =
    OutgoingEvent(OutgoingBody("x".getBytes), None, java.util.Map.of(), None, None, None)
}
