package org.apache.spark.eventhubs.connection

import java.time.Duration
import java.util.concurrent.CountDownLatch

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import localhub.{LocalHub, LocalHubConfig, ServiceSettings}
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import org.apache.spark.eventhubs.{Background, EventHubsException}
import org.apache.spark.sql.eventhubs.source.ReadHubFixture
import testkit.{Logged, TestSuite}

/** Tasks whose events do not come, and the questions that they ask about their partitions. */
class SilentTasksSuite extends TestSuite with ReadHubFixture {

  test("tasks that wait for a slow service ask few questions, and share the answers about the hub") {
    val name = newHub(8)
    send(name, Seq.fill(8)(5): _*)
    // Questions after 300 ms, 900 ms, 2.1 s and 4.5 s. With the same interval there would be 16 rounds.
    val settings = Seq("eventhubs.receiverTimeout" -> "300ms", "eventhubs.startingPosition" -> "0")
    assert(seen(batch(name, settings: _*)).size == 40)
    val before = localHub.amqp.counters.managementCalls
    localHub.faults.inject(
      Fault(FaultAction.Stall, Occasion.Receive, FaultScope(Some(name)), duration = Some(Duration.ofSeconds(5)))
    )
    assert(seen(batch(name, settings: _*)).size == 40)
    val asked = localHub.amqp.counters.managementCalls - before
    info(s"$asked questions")
    assert(asked <= 2 * 9 + 8 + 6 * 4, "planning, links, and six rounds of two questions of the two tasks at a time")
  }

  test("questions that the service refuses because it is busy wait together, and all are answered") {
    val service = ServiceSettings(managementPerSecond = Some(50))
    val busy = LocalHub.start(LocalHubConfig(service = service).withHub("busy", 60))
    val settings =
      ReadSettings.parse(Map("eventhubs.connectionString" -> busy.connectionString("busy")), ReadMode.Stream)
    // Without a pace of its own, because the hub is on this machine.
    val client = new AzureEventHubsClient(settings.connection)
    try {
      assert(client.partitionBounds(0 until 60).keySet == (0 until 60).toSet)
      val asked = busy.amqp.counters.managementCalls
      info(s"$asked questions")
      assert(asked <= 60 + 2 * 8, "those of one moment are refused once, not again and again")
    } finally {
      client.close()
      busy.close()
    }
  }

  private def throughProxy(
      name: String,
      more: (String, String)*
  )(test: (AzureEventHubsClient, TcpProxy) => Unit): Unit = {
    val proxy = new TcpProxy(localHub.amqpPort)
    val endpoint = "eventhubs.customEndpoint" -> s"localhost:${proxy.port}"
    val client =
      new AzureEventHubsClient(ReadSettings.parse(options(name, endpoint +: more), ReadMode.Stream).connection)
    try {
      client.hubProperties()
      // The service gets no further question.
      proxy.hold()
      test(client, proxy)
    } finally {
      client.close()
      proxy.close()
    }
  }

  test("a question whose caller no longer waits ends at once, and so does one of a thread that is interrupted") {
    throughProxy(newHub(1)) { (client, _) =>
      intercept[AbandonedQuestionException](client.partitionBounds(Seq(0), () => true))
      val asking = new CountDownLatch(1)
      val interrupted = Background {
        val me = Thread.currentThread
        intercept[InterruptedException] {
          client.hubProperties { () =>
            asking.countDown()
            me.interrupt()
            false
          }
        }
      }
      asking.await()
      interrupted.result
      ()
    }
  }

  test("the log says that a hub is away, once, and that it is back") {
    val name = newHub(1)
    Logged.during { logged =>
      def said = logged().linesIterator.filter(line => line.contains("Event hub") && line.contains(name)).toSeq
      throughProxy(name) { (client, proxy) =>
        val asked = Background(client.hubProperties())
        eventually("nothing was said")(said.nonEmpty)
        assert(said.head.contains("has not answered for 5 s"))
        proxy.cut()
        asked.result
        assert(said.size == 2 && said.toString.contains("answers again"))
      }
    }
  }

  test("a hub that does not answer fails the question at the operation timeout") {
    throughProxy(newHub(1), "eventhubs.operationTimeout" -> "2s") { (client, _) =>
      assert(intercept[EventHubsException](client.hubProperties()).getCondition == "EVENTHUBS_TIMEOUT")
    }
  }
}
