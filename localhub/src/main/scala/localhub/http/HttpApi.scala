package localhub.http

import java.net.{InetAddress, InetSocketAddress}
import java.util.concurrent.{ExecutorService, Executors, TimeUnit}

import scala.util.control.NonFatal

import com.sun.net.httpserver.{HttpExchange, HttpServer}
import org.slf4j.LoggerFactory

import localhub.LocalHubException
import localhub.amqp.layer.OriginGuard

/**
 * The HTTP server of a local hub. Listens from construction until `close()`.
 *
 * @param requestedPort 0 for any free port; see [[port]]
 * @param routes        what it answers
 */
private[localhub] final class HttpApi(host: String, requestedPort: Int, routes: Seq[Routes]) extends AutoCloseable {

  private val log = LoggerFactory.getLogger(getClass)
  private val router = new Router(routes)
  private val guard = new OriginGuard(host)
  private val workers = HttpApi.daemonPool(threads = 4)
  private val server = HttpServer.create(new InetSocketAddress(InetAddress.getByName(host), requestedPort), 0)

  server.createContext("/", exchange => handle(exchange))
  server.setExecutor(workers)
  server.start()

  /** The listening port. */
  def port: Int = server.getAddress.getPort

  override def close(): Unit = {
    server.stop(0)
    workers.shutdown()
    workers.awaitTermination(5, TimeUnit.SECONDS)
    ()
  }

  private def handle(exchange: HttpExchange): Unit =
    try {
      val reply = answer(exchange)
      val hasBody = reply.body.nonEmpty && exchange.getRequestMethod != "HEAD"
      reply.headers.foreach { case (name, value) => exchange.getResponseHeaders.set(name, value) }
      exchange.getResponseHeaders.set("Content-Type", reply.contentType)
      exchange.getResponseHeaders.set("Cache-Control", "no-store")
      exchange.sendResponseHeaders(reply.status, if (hasBody) reply.body.length.toLong else -1L)
      if (hasBody) exchange.getResponseBody.write(reply.body)
    } catch {
      case NonFatal(failure) => log.debug("The client disconnected before its answer was written", failure)
    } finally exchange.close()

  private def answer(exchange: HttpExchange): Response =
    try {
      val uri = exchange.getRequestURI
      val headers = exchange.getRequestHeaders
      val refusal = guard.refusal(Option(headers.getFirst("Host")), Option(headers.getFirst("Origin")))
      val body = exchange.getRequestBody.readNBytes(HttpApi.MaxBodyBytes + 1)
      if (refusal.isDefined) Response.error(403, refusal.mkString)
      else if (body.length > HttpApi.MaxBodyBytes)
        Response.error(413, s"A request has at most ${HttpApi.MaxBodyBytes} bytes.")
      else router.answer(Request(exchange.getRequestMethod, uri.getRawPath, Option(uri.getRawQuery), body))
    } catch {
      case BadRequest(message) => Response.error(400, message)
      case NonFatal(failure) =>
        log.error(s"${exchange.getRequestMethod} ${exchange.getRequestURI} failed", failure)
        val reason = LocalHubException.forClients(failure)
        Response.error(500, s"The local hub failed while answering this request: $reason")
    }
}

private[localhub] object HttpApi {

  /** Room for an event of 1 MB in JSON text. */
  private val MaxBodyBytes = 8 * 1024 * 1024

  private def daemonPool(threads: Int): ExecutorService = Executors.newFixedThreadPool(
    threads,
    task => {
      val thread = new Thread(task, "localhub-http")
      thread.setDaemon(true)
      thread
    }
  )
}
