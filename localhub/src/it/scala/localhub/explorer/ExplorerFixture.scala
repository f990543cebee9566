package localhub.explorer

import org.scalatest.BeforeAndAfterAll

import localhub.amqp.event.EventAppender
import localhub.browse.JsonEvent
import localhub.{HubConfig, LocalHub, LocalHubConfig}
import testkit.TestSuite

/** The Data Explorer of a hub with two event hubs, in a browser that starts at the first one. */
trait ExplorerFixture extends TestSuite with BeforeAndAfterAll {

  protected lazy val hub: LocalHub = LocalHub.start(
    LocalHubConfig(hubs = Seq(HubConfig("telemetry", 4, Set("dashboards")), HubConfig("alerts", 2, Set("audit"))))
  )
  protected lazy val browser: Chromium = new Chromium(Chromium.installed.get)

  /** Stores what the page shows first. */
  protected def prepare(): Unit

  override def beforeAll(): Unit = if (Chromium.installed.isDefined) {
    prepare()
    browser.open(s"${hub.httpUrl}/#telemetry")
    eventually(assert(text("#hub-name") == "telemetry"))
  }

  override def afterAll(): Unit = if (Chromium.installed.isDefined) {
    browser.close()
    hub.close()
  }

  protected def inBrowser(name: String)(body: => Unit): Unit = test(name) {
    assume(Chromium.installed.isDefined, "no Chromium found; install it, or set CHROMIUM to its path")
    body
  }

  protected def send(name: String, partition: String, body: String): Unit =
    store(name, ujson.Obj("body" -> body, "partition" -> partition, "properties" -> ujson.Obj("from" -> "test")))

  /** Stores an event, given as the HTTP API takes it; partition 0 unless it has another. */
  protected def store(name: String, event: ujson.Obj): Unit = {
    val parsed = JsonEvent.parse(event)
    val log = hub.namespace.find(name).flatMap(_.partition(parsed.partition.getOrElse("0"))).get
    EventAppender.append(log, parsed.encoded)
    ()
  }

  protected def text(selector: String): String =
    browser.evaluate(s"document.querySelector(`$selector`)?.innerText ?? ''").str

  protected def count(selector: String): Int =
    browser.evaluate(s"document.querySelectorAll(`$selector`).length").num.toInt

  protected def run(script: String): Unit = { browser.evaluate(script); () }

  protected def click(selector: String): Unit = run(s"document.querySelector(`$selector`).click()")

  /** Clicks the button with this text, as soon as there is one. */
  protected def press(title: String): Unit = {
    val button = s"[...document.querySelectorAll('button')].find(button => button.innerText === `$title`)"
    eventually(assert(browser.evaluate(s"$button !== undefined").bool))
    run(s"$button.click()")
  }

  /** Asks for a list with these fields of the form, and waits until it or an error is shown. */
  protected def showEvents(fields: (String, String)*): Unit = {
    fields.foreach { case (field, value) => run(s"document.querySelector('#search').elements.$field.value = `$value`") }
    run("document.querySelector('#events-message').textContent = ''; document.querySelector('#search').requestSubmit()")
    eventually(assert(text("#events-message").nonEmpty))
  }
}
