package localhub.explorer

import java.net.URI
import java.net.http.{HttpClient, WebSocket}
import java.nio.file.{Files, Path}
import java.util.Base64
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CompletableFuture, CompletionStage, ConcurrentHashMap, TimeUnit}

import localhub.log.TempDirectory

/** A headless Chromium, controlled through its DevTools protocol. */
final class Chromium(binary: String) extends AutoCloseable {

  private val profile = TempDirectory.create()
  private val process = new ProcessBuilder(
    binary,
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1300,1250",
    "--remote-debugging-port=0",
    s"--user-data-dir=$profile",
    "about:blank"
  )
    .redirectErrorStream(true).redirectOutput(profile.resolve("log").toFile).start()

  private val answers = new ConcurrentHashMap[Int, CompletableFuture[ujson.Value]]
  private val numbers = new AtomicInteger
  private val client = HttpClient.newHttpClient()
  private val socket = client.newWebSocketBuilder().buildAsync(pageSocket(), new Listener).get(60, TimeUnit.SECONDS)

  def open(url: String): Unit = {
    command("Page.navigate", ujson.Obj("url" -> url))
    ()
  }

  /** The value of a JavaScript expression; waits for a promise. */
  def evaluate(script: String): ujson.Value = {
    val answer = command(
      "Runtime.evaluate",
      ujson.Obj("expression" -> script, "awaitPromise" -> true, "returnByValue" -> true)
    )
    answer.obj.get("exceptionDetails").foreach(details => throw new AssertionError(s"$script: $details"))
    answer("result").obj.getOrElse("value", ujson.Null)
  }

  /** Shows the page as on a phone with this many CSS pixels. */
  def asPhone(width: Int, height: Int): Unit = {
    val screen = ujson.Obj("width" -> width, "height" -> height, "deviceScaleFactor" -> 2, "mobile" -> true)
    command("Emulation.setDeviceMetricsOverride", screen)
    ()
  }

  /** Lets pages read and write the clipboard, as a user's click does. */
  def allowClipboard(): Unit = {
    val permissions = ujson.Arr("clipboardReadWrite", "clipboardSanitizedWrite")
    command("Browser.grantPermissions", ujson.Obj("permissions" -> permissions))
    command("Emulation.setFocusEmulationEnabled", ujson.Obj("enabled" -> true))
    ()
  }

  /** Moves the pointer to this place of the window. */
  def moveTo(x: Double, y: Double): Unit = {
    command("Input.dispatchMouseEvent", ujson.Obj("type" -> "mouseMoved", "x" -> x, "y" -> y))
    ()
  }

  def screenshot(file: Path): Unit = {
    val answer = command("Page.captureScreenshot", ujson.Obj("format" -> "png"))
    Files.write(file, Base64.getDecoder.decode(answer("data").str))
    ()
  }

  override def close(): Unit = {
    socket.abort()
    // Ends its helper processes too.
    process.descendants.forEach { child => child.destroyForcibly(); () }
    process.destroyForcibly().waitFor()
    ()
  }

  private def command(method: String, parameters: ujson.Obj): ujson.Value = {
    val id = numbers.incrementAndGet()
    val answer = new CompletableFuture[ujson.Value]
    answers.put(id, answer)
    socket.sendText(ujson.write(ujson.Obj("id" -> id, "method" -> method, "params" -> parameters)), true)
    answer.get(60, TimeUnit.SECONDS)
  }

  /** Chromium writes its port into its profile when it listens, and lists its pages there. */
  private def pageSocket(): URI = {
    val file = profile.resolve("DevToolsActivePort")
    val deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60)
    var found = Option.empty[URI]
    while (found.isEmpty) {
      if (System.nanoTime() > deadline) throw new AssertionError(Files.readString(profile.resolve("log")))
      found = Option.when(Files.exists(file) && Files.size(file) > 0)(Files.readString(file).linesIterator.next())
        .flatMap(port => scala.util.Try(pages(port)).toOption.flatten)
      if (found.isEmpty) Thread.sleep(50)
    }
    found.get
  }

  private def pages(port: String): Option[URI] = {
    val source = scala.io.Source.fromURL(s"http://127.0.0.1:$port/json/list")
    try ujson.read(source.mkString).arr.find(_("type").str == "page").map(page =>
        URI.create(page("webSocketDebuggerUrl").str)
      )
    finally source.close()
  }

  private final class Listener extends WebSocket.Listener {
    private val text = new StringBuilder

    override def onText(socket: WebSocket, data: CharSequence, last: Boolean): CompletionStage[_] = {
      text.append(data)
      if (last) {
        val message = ujson.read(text.toString)
        text.clear()
        for {
          id <- message.obj.get("id")
          waiting <- Option(answers.remove(id.num.toInt))
        } message.obj.get(
          "result"
        ).fold(waiting.completeExceptionally(new AssertionError(s"$message")))(waiting.complete)
      }
      super.onText(socket, data, last)
    }
  }
}

object Chromium {

  /** Path of this machine's Chromium, if it has one. */
  def installed: Option[String] = {
    val folders = sys.env.getOrElse("PATH", "").split(java.io.File.pathSeparator).toSeq
    val candidates = sys.env.get("CHROMIUM").toSeq ++
      Seq("chromium", "chromium-browser", "google-chrome").flatMap(name => folders.map(folder => s"$folder/$name"))
    candidates.find(path => Files.isExecutable(Path.of(path)))
  }
}
