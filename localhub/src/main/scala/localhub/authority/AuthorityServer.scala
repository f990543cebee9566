package localhub.authority

import java.net.{InetAddress, InetSocketAddress, URI, URLDecoder}
import java.nio.charset.StandardCharsets.UTF_8
import java.time.Clock
import java.util.concurrent.{Executors, TimeUnit}
import javax.net.ssl.SSLContext

import scala.util.control.NonFatal

import com.sun.net.httpserver.{HttpExchange, HttpServer, HttpsConfigurator, HttpsServer}
import org.slf4j.LoggerFactory

/**
 * An http or https server of the authority. Listens from construction until `close()`.
 *
 * @param tls   None for plain http
 * @param kinds answers by kind of request, asked in this order
 */
private[authority] final class AuthorityServer(
    host: String,
    requestedPort: Int,
    tls: Option[SSLContext],
    kinds: Seq[(AuthorityRequestKind, PartialFunction[Call, Answer])],
    faults: AuthorityFaults,
    requests: AuthorityRequests,
    clock: Clock
) extends AutoCloseable {
  import AuthorityServer._

  // Not a fixed number, because a delayed answer keeps its thread.
  private val workers = Executors.newCachedThreadPool { task =>
    val thread = new Thread(task, "localhub-authority")
    thread.setDaemon(true)
    thread
  }
  private val server = {
    val place = new InetSocketAddress(InetAddress.getByName(host), requestedPort)
    tls.fold(HttpServer.create(place, 0)) { context =>
      val secure = HttpsServer.create(place, 0)
      secure.setHttpsConfigurator(new HttpsConfigurator(context))
      secure
    }
  }
  server.createContext("/", exchange => handle(exchange))
  server.setExecutor(workers)
  server.start()

  def port: Int = server.getAddress.getPort

  override def close(): Unit = {
    server.stop(0)
    workers.shutdownNow()
    workers.awaitTermination(5, TimeUnit.SECONDS)
    ()
  }

  private def handle(exchange: HttpExchange): Unit =
    try replyTo(exchange).foreach(write(exchange, _))
    catch {
      case NonFatal(failure) => log.debug("A request of the authority ended without its answer", failure)
    } finally exchange.close()

  private def replyTo(exchange: HttpExchange): Option[Answer] =
    try {
      val call = read(exchange)
      val found = kinds.find(_._2.isDefinedAt(call))
      val kind = found.fold[AuthorityRequestKind](AuthorityRequestKind.Discovery)(_._1)
      val reply = replyTo(call, kind, found.map(_._2))
      val client = Seq(call.form, call.query).flatMap(_.get("client_id")).headOption
      val status = reply.map(_.status)
      val path = pathOf(exchange.getRequestURI)
      requests.add(AuthorityRequest(clock.instant(), kind, call.method, path, client, status))
      reply
    } catch {
      // What is not percent-encoded text.
      case _: IllegalArgumentException => Some(Answer.BadRequest)
    }

  /** None when a fault closes the connection. */
  private def replyTo(
      call: Call,
      kind: AuthorityRequestKind,
      answer: Option[PartialFunction[Call, Answer]]
  ): Option[Answer] = {
    def normal = Some(answer.fold(Answer.NotFound)(_.apply(call)))
    faults.at(kind) match {
      case None => normal
      case Some(AuthorityFaultAction.Drop) => None
      case Some(AuthorityFaultAction.Delay(time)) =>
        Thread.sleep(time.toMillis)
        normal
      case Some(AuthorityFaultAction.Fail(status)) => Some(EntraError.unavailable(status).answer(clock.instant(), ""))
      case Some(AuthorityFaultAction.Throttle(time)) =>
        val refusal = EntraError.throttled.answer(clock.instant(), "")
        Some(refusal.copy(headers = Map("Retry-After" -> math.max(1, time.toSeconds).toString)))
    }
  }

  private def read(exchange: HttpExchange): Call = {
    val uri = exchange.getRequestURI
    val body = new String(exchange.getRequestBody.readNBytes(MaxBodyBytes), UTF_8)
    Call(
      exchange.getRequestMethod,
      pathOf(uri).split('/').toList.filter(_.nonEmpty),
      parameters(Option(uri.getRawQuery).getOrElse("")),
      if (exchange.getRequestMethod == "POST") parameters(body) else Map.empty,
      name => Option(exchange.getRequestHeaders.getFirst(name))
    )
  }

  /** Microsoft's library for Java asks a machine for `//metadata/...`, which reads as a path of the host `metadata`. */
  private def pathOf(uri: URI): String =
    if (Option(uri.getScheme).isEmpty) Option(uri.getAuthority).fold("")(name => s"/$name") + uri.getPath
    else uri.getPath

  private def parameters(text: String): Map[String, String] =
    text.split('&').filter(_.nonEmpty).map { pair =>
      val (name, value) = pair.span(_ != '=')
      URLDecoder.decode(name, UTF_8) -> URLDecoder.decode(value.drop(1), UTF_8)
    }.toMap

  private def write(exchange: HttpExchange, answer: Answer): Unit = {
    val body = ujson.write(answer.json).getBytes(UTF_8)
    answer.headers.foreach { case (name, value) => exchange.getResponseHeaders.set(name, value) }
    exchange.getResponseHeaders.set("Content-Type", "application/json; charset=utf-8")
    exchange.getResponseHeaders.set("Cache-Control", "no-store")
    exchange.sendResponseHeaders(answer.status, body.length.toLong)
    exchange.getResponseBody.write(body)
  }
}

private object AuthorityServer {
  private val log = LoggerFactory.getLogger(classOf[AuthorityServer])
  private val MaxBodyBytes = 1024 * 1024
}
