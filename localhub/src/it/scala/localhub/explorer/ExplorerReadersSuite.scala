package localhub.explorer

import java.nio.file.Path

import com.azure.messaging.eventhubs.models.EventPosition
import com.azure.messaging.eventhubs.{EventHubClientBuilder, EventHubConsumerAsyncClient}
import reactor.core.Disposable

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}

/** Readers in the Data Explorer: consumer groups, charts of rate and lag, and all of it on a phone. */
class ExplorerReadersSuite extends ExplorerFixture {

  private var clients = Seq.empty[EventHubConsumerAsyncClient]
  private var receiving = Seq.empty[Disposable]

  override protected def prepare(): Unit = {
    (0 to 39).foreach(i => send("telemetry", s"${i % 4}", s"reading $i"))
    read("$Default", Seq("0", "1", "2", "3"))
    // Readers of this group receive nothing, so they stay behind.
    hub.faults.inject(Fault(FaultAction.Stall, Occasion.Receive, FaultScope(consumerGroup = Some("dashboards"))))
    read("dashboards", Seq("0", "1"))
  }

  override def afterAll(): Unit = {
    receiving.foreach(_.dispose())
    clients.foreach(_.close())
    super.afterAll()
  }

  private def read(group: String, partitions: Seq[String]): Unit = {
    val client = new EventHubClientBuilder().connectionString(hub.connectionString("telemetry")).consumerGroup(group)
      .buildAsyncConsumerClient()
    clients :+= client
    receiving ++= partitions.map(client.receiveFromPartition(_, EventPosition.earliest()).subscribe())
  }

  private def groups: Seq[String] =
    browser.evaluate(
      "[...document.querySelectorAll('#readers tr.group')].map(row => row.innerText)"
    ).arr.map(_.str).toSeq

  inBrowser("readers are grouped by consumer group, with the lag of the whole group") {
    eventually {
      val Seq(default, dashboards) = groups.map(_.split("\\s+").mkString(" ")): @unchecked
      assert(default.startsWith("$Default 4 readers 4 of 4 0 "), default)
      assert(dashboards.startsWith("dashboards 2 readers 2 of 4 20 "), dashboards)
    }
    assert(count("#readers tr.reader") == 6)
  }

  inBrowser("a click on a group hides its readers, and another one shows them, also after a refresh") {
    click("#readers tr.group button")
    send("telemetry", "0", "one more")
    eventually(assert(text("#cards").contains("41")))
    assert(count("#readers tr.reader") == 2)
    click("#readers tr.group button")
    eventually(assert(count("#readers tr.reader") == 6))
  }

  private def legend(chart: String): Map[String, String] = {
    val entries = browser.evaluate(
      s"[...document.querySelectorAll('#$chart .legend span')].map(each => [each.firstChild.nextSibling?.data ?? '', each.querySelector('b')?.innerText ?? ''])"
    )
    entries.arr.map(entry => entry(0).str.trim -> entry(1).str).toMap
  }

  inBrowser("the charts have a line for the rate of each group and for its lag") {
    eventually(assert(count("#rate-chart path") == 3 && count("#lag-chart path") == 2))
    eventually(assert(legend("lag-chart") == Map("$Default" -> "0", "dashboards" -> "21")))
    assert(legend("rate-chart").keySet == Set("coming in", "read by $Default", "read by dashboards"))
  }

  inBrowser("the charts follow what comes in and what is read") {
    eventually {
      (1 to 20).foreach(i => send("telemetry", "2", s"burst $i"))
      val shown = legend("rate-chart")
      assert(shown("coming in") != "0/s" && shown("read by $Default") != "0/s" && shown("read by dashboards") == "0/s")
    }
    val heights =
      "new Set([...document.querySelectorAll('#rate-chart path.line-0')][0].getAttribute('d').match(/ [0-9.]+/g)).size"
    assert(browser.evaluate(heights).num > 1, "the line is not flat")
  }

  inBrowser("the legend shows the values where the pointer is") {
    val place =
      browser.evaluate("""{ const chart = document.querySelector('#lag-chart .canvas').getBoundingClientRect();
                                   |  [chart.right - 12, chart.top + 40] }""".stripMargin).arr.map(_.num)
    browser.moveTo(place(0), place(1))
    eventually(
      assert(count("#lag-chart .cursor") == 1 && text("#lag-chart .legend").matches("(?s).*\\d\\d:\\d\\d:\\d\\d.*"))
    )
    browser.moveTo(1, 1)
    eventually(assert(count("#lag-chart .cursor") == 0))
  }

  inBrowser("on a phone nothing is wider than the screen, and the bodies are in view") {
    store("telemetry", ujson.Obj("body" -> "seen on a phone", "partitionKey" -> ("key-" + "y" * 300)))
    browser.asPhone(390, 844)
    showEvents()
    eventually(assert(text("#events tr.event").contains("seen on a phone")))
    eventually(assert(browser.evaluate("document.documentElement.scrollWidth").num <= 390))
    val cell = browser.evaluate(
      """{ const box = document.querySelector('#events tr.event td.text').getBoundingClientRect();
        |  [box.left, box.right] }""".stripMargin
    ).arr.map(_.num)
    assert(cell(0) >= 0 && cell(1) <= 390 && cell(1) - cell(0) > 250)
    Seq("#partitions", "#readers", "#events").foreach { table =>
      val widths = browser.evaluate(
        s"[document.querySelector('$table').scrollWidth, document.querySelector('$table').parentElement.clientWidth]"
      )
      assert(widths(0).num <= widths(1).num, s"$table is cut off")
    }
    sys.env.get("EXPLORER_PHONE_SCREENSHOT").foreach(file => browser.screenshot(Path.of(file)))
  }
}
