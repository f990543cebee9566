package localhub.explorer

import java.time.Instant
import java.util.Base64

/** Events in the Data Explorer: long keys, binary bodies, search by time, copy and resend. */
class ExplorerEventsSuite extends ExplorerFixture {

  private val longKey = "key-" + "x" * 500
  private val binary = Array.tabulate[Byte](40)(i => (i * 7).toByte)

  override protected def prepare(): Unit = {
    (0 to 119).foreach(i => send("telemetry", s"${i % 4}", s"reading $i"))
    store("alerts", ujson.Obj("body" -> "the body is in view", "partitionKey" -> longKey))
    store(
      "alerts",
      ujson.Obj(
        "bodyBase64" -> Base64.getEncoder.encodeToString(binary),
        "partition" -> "1",
        "properties" -> ujson.Obj("unit" -> "C", "n" -> 7)
      )
    )
  }

  private def go(name: String): Unit = {
    run(s"location.hash = '#$name'")
    eventually(assert(text("#hub-name") == name && count("#events tr.event") > 0))
  }

  private def openEvent(part: String): Unit = {
    val row = s"[...document.querySelectorAll('#events tr.event')].find(row => row.innerText.includes(`$part`))"
    eventually(assert(browser.evaluate(s"$row !== undefined").bool))
    run(s"{ const row = $row; if (!row.classList.contains('opened')) row.click() }")
    eventually(assert(count("#events tr.detail") == 1))
  }

  private def closeEvent(): Unit = click("#events tr.opened")

  inBrowser("More continues the list of all partitions") {
    go("telemetry")
    eventually(assert(count("#events tr.event") == 50))
    Seq(100, 120).foreach { shown =>
      click("#more")
      eventually(assert(count("#events tr.event") == shown))
    }
    val bodies = browser.evaluate("[...document.querySelectorAll('#events td.text')].map(each => each.innerText)").arr
    assert(bodies.map(_.str).toSet == (0 to 119).map(i => s"reading $i").toSet)
    assert(browser.evaluate("document.querySelector('#more').hidden").bool)
  }

  inBrowser("events are listed from a time on, oldest first") {
    // The field has whole seconds, so the events after it need a later second.
    val second = Instant.now().getEpochSecond + 1
    eventually(assert(Instant.now().getEpochSecond >= second))
    (200 to 204).foreach(i => send("telemetry", s"${i % 4}", s"reading $i"))
    run(s"""{ const at = new Date(${second}000); at.setMinutes(at.getMinutes() - at.getTimezoneOffset());
           |  document.querySelector('#search').elements.time.value = at.toISOString().slice(0, 19) }""".stripMargin)
    showEvents()
    eventually(assert(count("#events tr.event") == 5 && text("#events tr.event").contains("reading 200")))
    showEvents("partition" -> "1")
    eventually(assert(count("#events tr.event") == 1 && text("#events tr.event").contains("reading 201")))
    showEvents("from" -> "3")
    eventually(assert(text("#events-message").contains("not from both")))
    showEvents("from" -> "", "time" -> "", "partition" -> "")
  }

  inBrowser("a long key does not push the bodies out of view, and is complete in the open event") {
    go("alerts")
    eventually(assert(text("#events").contains("the body is in view")))
    val right = browser.evaluate(
      """{ const cell = [...document.querySelectorAll('#events td.text')].find(each => each.innerText.includes('in view'));
        |  cell.getBoundingClientRect().left + 100 }""".stripMargin
    )
    assert(right.num < browser.evaluate("innerWidth").num)
    openEvent("the body is in view")
    assert(text("#events tr.detail dl").contains(longKey))
    closeEvent()
  }

  inBrowser("a binary body is shown in hex, and found by its bytes") {
    val hex = binary.map(byte => f"$byte%02x").mkString(" ")
    showEvents("contains" -> hex.take(23).toUpperCase)
    eventually(assert(count("#events tr.event") == 1 && text("#events td.text").startsWith(hex.take(23))))
    openEvent(hex.take(23))
    val lines = text("#events tr.detail pre").split('\n')
    assert(lines.length == 3 && lines(1).startsWith("00000010  70 77 7e 85"))
    assert(lines(1).contains("pw~.") && lines(2).trim.startsWith("00000020"))
    closeEvent()
    showEvents("contains" -> "")
  }

  inBrowser("a body and a whole event are copied to the clipboard") {
    browser.allowClipboard()
    openEvent("the body is in view")
    press("Copy body")
    def clipboard = browser.evaluate("navigator.clipboard.readText()").str
    eventually(assert(clipboard == "the body is in view"))
    press("Copy as JSON")
    eventually(assert(ujson.read(clipboard)("partitionKey").str == longKey))
    closeEvent()
  }

  inBrowser("Follow does not close an event that is opened while the list loads") {
    run("""{ const real = window.fetch; window.held = []; window.refreshes = 0;
          |  window.fetch = async (path, call) => {
          |    const answer = await real(path, call);
          |    if (path === '/hubs') window.refreshes++;
          |    if (path.includes('/events?')) await new Promise(answered => held.push(answered));
          |    return answer };
          |  window.answerAll = () => { held.forEach(answered => answered()); held = [] };
          |  window.answerAtOnce = () => { window.fetch = real; answerAll() } }""".stripMargin)
    try {
      run("document.querySelector('#search').elements.follow.checked = true")
      eventually(assert(browser.evaluate("held.length").num == 1))
      openEvent("00 07 0e")
      run("answerAll()")
      // These were asked for after the answer.
      val refreshes = browser.evaluate("refreshes").num
      eventually(assert(browser.evaluate("refreshes").num >= refreshes + 2))
      assert(count("#events tr.detail") == 1)
      closeEvent()
    } finally run("document.querySelector('#search').elements.follow.checked = false; answerAtOnce()")
  }

  inBrowser("Resend stores the same event again") {
    openEvent("00 07 0e")
    press("Resend")
    eventually(assert(text("#events tr.detail .actions").contains("Stored again in partition 1 as 1.")))
    val Seq(first, second) = hub.namespace.find("alerts").get.partitions(1).readBatch(0, 10, 1 << 20).map { entry =>
      localhub.browse.EventDecoder.decode("1", entry)
    }: @unchecked
    assert((second.body, second.properties) == ((first.body, first.properties)))
    closeEvent()
  }

  inBrowser("Edit and send copies an event to the form, where it is changed and sent") {
    showEvents()
    openEvent("00 07 0e")
    press("Edit and send")
    eventually(assert(browser.evaluate("document.querySelector('#send-panel').open").bool))
    run(
      """{ const form = document.querySelector('#send'); form.elements.body.value = 'ff fe'; form.requestSubmit() }"""
    )
    eventually(assert(browser.evaluate("document.querySelector('#send-message').textContent").str.contains("as 2.")))
    val sent = localhub.browse.EventDecoder.decode("1", hub.namespace.find("alerts").get.partitions(1).read(2).get)
    assert(sent.body == localhub.browse.EventBody.Bytes("//4=") && sent.properties("n").num == 7)
    run("""{ const form = document.querySelector('#send'); form.elements.body.value = 'xyz'; form.requestSubmit() }""")
    eventually(assert(
      browser.evaluate("document.querySelector('#send-message').textContent").str.contains("two digits for each byte")
    ))
  }

  inBrowser("a tombstone is sent") {
    run("""{ const form = document.querySelector('#send'); form.elements.kind.value = 'null';
          |  form.elements.partition.value = '1'; form.requestSubmit() }""".stripMargin)
    eventually(assert(browser.evaluate("document.querySelector('#send-message').textContent").str.contains("as 3.")))
    val sent = localhub.browse.EventDecoder.decode("1", hub.namespace.find("alerts").get.partitions(1).read(3).get)
    assert(sent.body == localhub.browse.EventBody.Value(ujson.Null))
  }
}
