package localhub.http

import java.net.URI
import java.net.http.HttpRequest.BodyPublishers
import java.net.http.{HttpClient, HttpRequest, HttpResponse}

/** Calls an HTTP server on this machine. */
final class TestClient(port: => Int) {
  private val client = HttpClient.newHttpClient()

  def call(
      method: String,
      path: String,
      body: String = "",
      headers: Seq[(String, String)] = Nil
  ): HttpResponse[String] = {
    val request =
      HttpRequest.newBuilder(URI.create(s"http://127.0.0.1:$port$path")).method(method, BodyPublishers.ofString(body))
    headers.foreach { case (name, value) => request.header(name, value) }
    client.send(request.build(), HttpResponse.BodyHandlers.ofString())
  }

  def json(path: String): ujson.Value = ujson.read(call("GET", path).body)

  def error(response: HttpResponse[String]): String = ujson.read(response.body)("error").str
}
