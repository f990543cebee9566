package org.apache.spark.eventhubs.signin

import java.io.IOException
import java.net.{HttpURLConnection, Proxy, URL}
import java.time.Duration
import javax.net.ssl.{HttpsURLConnection, SSLException, SSLSocketFactory}

import scala.jdk.CollectionConverters._

import com.azure.core.http.{HttpClient, HttpHeaderName, HttpHeaders, HttpRequest, HttpResponse}
import reactor.core.publisher.Mono
import reactor.core.scheduler.Schedulers

import org.apache.spark.eventhubs.proxy.HttpProxy
import org.apache.spark.eventhubs.tls.{CertificateRefused, TrustedCertificates}

/**
 * The requests of a sign-in, those for a namespace's event hubs, and those of a checkpoint store for which the options
 * name a proxy or certificates. They trust what the connection trusts. HTTPS goes through the proxy that the options,
 * the environment or the JVM name. Plain HTTP goes to the identity endpoint of this machine or to an emulator, and
 * through no proxy.
 *
 * The JDK's client signs in to no proxy of an HTTPS address with the Basic scheme, unless a flag of the JVM allows it
 * to all its users. So this one opens the tunnel itself.
 */
private[eventhubs] final class SignInHttpClient(
    network: SignInNetwork,
    longestConnect: Duration = Duration.ofSeconds(5),
    longestRead: Duration = Duration.ofSeconds(10)
) extends HttpClient {

  import SignInHttpClient._

  override def send(request: HttpRequest): Mono[HttpResponse] =
    Mono.fromCallable[HttpResponse](() => exchange(request)).subscribeOn(Schedulers.boundedElastic())

  private def exchange(request: HttpRequest): HttpResponse = {
    val connection = opened(request.getUrl)
    try {
      connection.setConnectTimeout(longestConnect.toMillis.toInt)
      connection.setReadTimeout(longestRead.toMillis.toInt)
      connection.setInstanceFollowRedirects(false)
      connection.setUseCaches(false)
      connection.setRequestMethod(request.getHttpMethod.toString)
      request.getHeaders.asScala.foreach(header => connection.setRequestProperty(header.getName, header.getValue))
      connection.setRequestProperty("Connection", "close")
      Option(request.getBodyAsBinaryData).foreach { body =>
        connection.setDoOutput(true)
        connection.getOutputStream.write(body.toBytes)
      }
      answer(request, connection)
    } catch {
      case failed: SSLException =>
        val host = s"${request.getUrl.getHost}:${portOf(request.getUrl)}"
        throw CertificateRefused.in(failed, host).getOrElse(failed)
    } finally connection.disconnect()
  }

  private def opened(url: URL): HttpURLConnection = url.openConnection(Proxy.NO_PROXY) match {
    case secure: HttpsURLConnection =>
      val proxy = HttpProxy.ofRequest(network.proxy, url.getHost, portOf(url))
      val target = s"${url.getHost}:${portOf(url)}"
      val context = TrustedCertificates.contextOrDefault(network.trustedCertificates)
      val factory: SSLSocketFactory = new NamedSocketFactory(context.getSocketFactory)
      secure.setSSLSocketFactory(
        proxy.fold(factory)(chosen => new TunnelledSocketFactory(factory, new TunnelSocket(chosen, target)))
      )
      secure
    case plain: HttpURLConnection => plain
    case other => throw new IOException(s"a sign-in needs HTTPS or HTTP, and not $other")
  }

  private def answer(request: HttpRequest, connection: HttpURLConnection): HttpResponse = {
    val status = connection.getResponseCode
    val stream = if (status >= 400) Option(connection.getErrorStream) else Option(connection.getInputStream)
    val body = stream.fold(Array.emptyByteArray) { open =>
      try open.readNBytes(MostBytes + 1)
      finally open.close()
    }
    if (body.length > MostBytes) throw new IOException(s"the answer has more than ${MostBytes >> 20} MiB")
    val headers = new HttpHeaders
    connection.getHeaderFields.asScala.foreach { case (name, values) =>
      Option(name).foreach(known => headers.set(HttpHeaderName.fromString(known), values))
    }
    new SignInAnswer(request, status, headers, body)
  }
}

private object SignInHttpClient {

  /** Far above a page of any list. The driver's memory holds the whole answer. */
  private val MostBytes = 32 << 20

  private def portOf(url: URL): Int = if (url.getPort < 0) url.getDefaultPort else url.getPort
}
