package org.apache.spark.eventhubs.registry

import java.net.{InetAddress, InetSocketAddress}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{ConcurrentLinkedQueue, Executors}

import scala.jdk.CollectionConverters._

import com.sun.net.httpserver.{HttpExchange, HttpServer}

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.options.{ConnectionSettings, ReadMode, ReadSettings}

/** What the server answers. */
final case class Reply(status: Int, body: String = "", headers: Map[String, String] = Map.empty)

object Reply {

  /** As the service says that it does not have what a path names. */
  val notFound: Reply = {
    val error = """{"error":{"code":"ItemNotFound","message":"gone"}}"""
    Reply(404, error, Map("Content-Type" -> "application/json"))
  }
}

/** A request as the server received it. */
final case class Asked(method: String, path: String, query: String, body: String, headers: Map[String, String]) {
  def line: String = s"$method $path"
}

/** A server that answers as a test says, by the number of the request and the request. */
final class RegistryServer(reply: (Int, Asked) => Reply) extends AutoCloseable {

  private val server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress, 0), 0)
  private val threads = Executors.newCachedThreadPool()
  private val all = new ConcurrentLinkedQueue[Asked]

  server.setExecutor(threads)
  server.createContext("/", (exchange: HttpExchange) => answer(exchange))
  server.start()

  private def answer(exchange: HttpExchange): Unit = {
    val uri = exchange.getRequestURI
    val headers = exchange.getRequestHeaders.asScala.map { case (name, values) => name.toLowerCase -> values.get(0) }
    val body = new String(exchange.getRequestBody.readAllBytes(), UTF_8)
    val asked = Asked(exchange.getRequestMethod, uri.getRawPath, uri.getQuery, body, headers.toMap)
    val number = all.synchronized {
      all.add(asked)
      all.size
    }
    val found = reply(number, asked)
    found.headers.foreach { case (name, value) => exchange.getResponseHeaders.set(name, value) }
    val bytes = found.body.getBytes(UTF_8)
    exchange.sendResponseHeaders(found.status, if (bytes.isEmpty) -1 else bytes.length.toLong)
    exchange.getResponseBody.write(bytes)
    exchange.close()
  }

  def requests: Seq[Asked] = all.asScala.toSeq

  def port: Int = server.getAddress.getPort

  def settings(options: (String, String)*): ConnectionSettings =
    RegistryServer.settings(port, options: _*)

  override def close(): Unit = {
    server.stop(0)
    threads.shutdownNow()
    ()
  }
}

object RegistryServer {

  val Hub: EventHubName = EventHubName("localhost", "telemetry")

  def settings(port: Int, options: (String, String)*): ConnectionSettings = ReadSettings.parse(
    Map(
      "eventhubs.connectionString" -> (s"Endpoint=sb://localhost:$port;SharedAccessKeyName=p;SharedAccessKey=k;" +
        "UseDevelopmentEmulator=true;EntityPath=telemetry"),
      "eventhubs.operationTimeout" -> "20s"
    ) ++ options,
    ReadMode.Batch
  ).connection

  def schema(text: String, id: String, format: SchemaFormat = SchemaFormat.Avro): Reply =
    Reply(200, text, Map("Content-Type" -> format.contentType, "Schema-Id" -> id))

  def page(values: String, next: Option[String] = None): Reply = {
    val link = next.fold("null")(url => s""""$url"""")
    Reply(200, s"""{"Value":[$values],"NextLink":$link}""", Map("Content-Type" -> "application/json"))
  }
}
