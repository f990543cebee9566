package localhub.explorer

import java.nio.file.Path
import java.time.Duration

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}

/** The Data Explorer in a browser. EXPLORER_SCREENSHOT=file.png saves a screenshot. */
class DataExplorerSuite extends ExplorerFixture {

  override protected def prepare(): Unit =
    (1 to 120).foreach(i => send("telemetry", s"${i % 4}", s"""{"device": "sensor-${i % 7}", "reading": $i}"""))

  inBrowser("it shows the hubs, and the hub of the URL with its partitions") {
    eventually {
      assert(text("#health") == "healthy" && count("#hubs li") == 2)
      assert(text("#hub-name") == "telemetry" && count("#partitions tbody tr") == 4)
      assert(text("#cards").contains("120"))
    }
    assert(text("#connection") == hub.connectionString)
  }

  inBrowser("it lists the newest events of all partitions, with their bodies") {
    eventually(assert(count("#events tr.event") == 50))
    assert(text("#events tr.event").contains("\"reading\": 120"))
  }

  inBrowser("it lists a partition, newest first or from a sequence number") {
    showEvents("partition" -> "1")
    eventually(assert(count("#events tr.event") == 30 && text("#events tr.event").contains("117")))
    showEvents("from" -> "5")
    eventually(assert(count("#events tr.event") == 25 && text("#events tr.event").contains("\"reading\": 21")))
    showEvents("from" -> "", "partition" -> "")
  }

  inBrowser("it finds events by text") {
    showEvents("contains" -> "\"reading\": 77}")
    eventually(assert(count("#events tr.event") == 1 && text("#events tr.event").contains("sensor-0")))
    showEvents("contains" -> "")
    eventually(assert(count("#events tr.event") == 50))
  }

  inBrowser("a click opens an event with its properties, and closes it again") {
    run("document.querySelector('#events tr.event').click()")
    eventually(assert(
      text("#events tr.detail pre").contains("\"reading\": 120") && text("#events tr.detail").contains("property from")
    ))
    sys.env.get("EXPLORER_SCREENSHOT").foreach(file => browser.screenshot(Path.of(file)))
    run("document.querySelector('#events tr.event').click()")
    eventually(assert(count("#events tr.detail") == 0))
  }

  inBrowser("it sends an event") {
    run("""{ const form = document.querySelector('#send').elements;
          |  form.body.value = '{"sent": "by hand"}'; form.partition.value = '2'; form.properties.value = '{"n": 1}';
          |  document.querySelector('#send').requestSubmit() }""".stripMargin)
    eventually(assert(browser.evaluate(
      "document.querySelector('#send-message').textContent"
    ).str.startsWith("Stored in partition 2 as 30")))
    assert(hub.namespace.find("telemetry").get.partitions(2).bounds.lastSequenceNumber == 30)
  }

  inBrowser("with Follow, new events appear without a reload") {
    run("document.querySelector('#search').elements.follow.click()")
    send("telemetry", "3", """{"late": true}""")
    eventually(assert(text("#events tr.event").contains("\"late\": true")))
  }

  inBrowser("an event's text is never interpreted as HTML") {
    send("alerts", "0", "<img src=x onerror=\"document.title='taken over'\">")
    run("location.hash = '#alerts'")
    eventually(assert(text("#hub-name") == "alerts" && text("#events tr.event").contains("<img src=x")))
    run("document.querySelector('#events tr.event').click()")
    eventually(assert(count("#events tr.detail") == 1))
    assert(count("#events img") == 0 && browser.evaluate("document.title").str == "Data Explorer")
  }

  private def inject(fields: (String, String)*): Unit = {
    fields.foreach { case (field, value) =>
      run(s"""{ const field = document.querySelector('#inject').elements['$field']; field.value = `$value`;
             |  field.dispatchEvent(new Event('change')) }""".stripMargin)
    }
    run("document.querySelector('#inject').requestSubmit()")
  }

  inBrowser("it injects a fault into the hub, shows it while it is active, and cancels it") {
    run("location.hash = '#alerts'; document.querySelector('#faults-panel').open = true")
    eventually(assert(text("#hub-name") == "alerts" && text("#faults").contains("No faults are active")))
    inject(
      "action" -> "delay",
      "time" -> "250ms",
      "on" -> "stored",
      "partition" -> "1",
      "probability" -> "0.5",
      "count" -> "3"
    )
    eventually(
      assert(text("#faults tbody tr").contains("delay PT0.25S") && text("#faults tbody tr").contains("0 of 3"))
    )
    val Seq(active) = hub.faults.active.map(_.fault): @unchecked
    assert(active == Fault(
      FaultAction.Delay(Duration.ofMillis(250)),
      Occasion.Stored,
      FaultScope(Some("alerts"), None, Some("1")),
      probability = 0.5,
      count = Some(3)
    ))
    run("document.querySelector('#faults tbody button').click()")
    eventually(assert(text("#faults").contains("No faults are active") && hub.faults.active.isEmpty))
  }

  inBrowser("it clears all faults, and shows why a fault is refused") {
    inject("action" -> "throttle", "time" -> "", "probability" -> "", "count" -> "", "partition" -> "")
    hub.faults.inject(Fault(FaultAction.Stall, Occasion.Receive))
    hub.faults.inject(Fault(FaultAction.Stall, Occasion.Receive, FaultScope(hub = Some("telemetry"))))
    eventually(assert(count("#faults tbody button") == 2 && text("#faults").contains("every hub")))
    run("document.querySelector('#clear-faults').click()")
    eventually(assert(hub.faults.active.isEmpty && text("#faults").contains("No faults are active")))
    inject("action" -> "delay", "time" -> "soon")
    eventually(assert(text("#faults-message").contains("time is 'soon'")))
  }

  inBrowser("it expires a hub's events at once") {
    inject("action" -> "expire-events", "time" -> "1s")
    eventually(assert(text("#faults-message") == "Happened 2 time(s)."))
    assert(hub.namespace.find("alerts").get.partitions.forall(_.bounds.isEmpty))
  }

  inBrowser("it creates a hub, and shows why a name is refused") {
    run(
      """{ const form = document.querySelector('#new-hub'); form.elements.name.value = 'a b'; form.requestSubmit() }"""
    )
    eventually(assert(text("#hub-message").contains("'a b' cannot be the name")))
    run(
      """{ const form = document.querySelector('#new-hub'); form.elements.name.value = 'made-here'; form.requestSubmit() }"""
    )
    eventually(assert(text("#hub-name") == "made-here" && count("#hubs li") == 3))
    assert(hub.namespace.find("made-here").exists(_.partitions.size == 4))
  }

  inBrowser("it shows when the hub is not reachable") {
    hub.close()
    eventually(assert(text("#health") == "not reachable"))
  }
}
