package org.apache.spark.eventhubs.signin

import java.net.{InetAddress, InetSocketAddress}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.security.cert.Certificate
import java.security.{KeyStore, SecureRandom}
import javax.net.ssl.{KeyManagerFactory, SSLContext, TrustManagerFactory}

import com.sun.net.httpserver.{HttpExchange, HttpsConfigurator, HttpsServer}

/** A sign-in service over HTTPS that gives every application the same answer. Its address is `localhost:<port>`. */
private class SignInService(status: Int, answer: String) {

  private val password = "changeit"

  private val identity: KeyStore = {
    val file = Files.createTempDirectory("sign-in").resolve("identity.p12")
    val keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString
    val command = Seq(keytool, "-genkeypair", "-keyalg", "EC", "-alias", "a", "-dname", "CN=localhost", "-ext") ++
      Seq("san=dns:localhost", "-storetype", "PKCS12", "-storepass", password, "-keystore", file.toString)
    assert(new ProcessBuilder(command: _*).redirectErrorStream(true).start().waitFor() == 0)
    val store = KeyStore.getInstance("PKCS12")
    val stream = Files.newInputStream(file)
    try store.load(stream, password.toCharArray)
    finally {
      stream.close()
      Files.delete(file)
      Files.delete(file.getParent)
    }
    store
  }

  def certificate: Certificate = identity.getCertificate("a")

  /** For the service and for its clients, which trust it. */
  val context: SSLContext = {
    val keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm)
    keys.init(identity, password.toCharArray)
    val trusted = KeyStore.getInstance("PKCS12")
    trusted.load(null, null)
    trusted.setCertificateEntry("a", identity.getCertificate("a"))
    val trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm)
    trust.init(trusted)
    val made = SSLContext.getInstance("TLS")
    made.init(keys.getKeyManagers, trust.getTrustManagers, new SecureRandom)
    made
  }

  private val server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress, 0), 50)
  server.setHttpsConfigurator(new HttpsConfigurator(context))
  server.createContext("/", respond(_))
  server.start()

  def address: String = s"https://localhost:${server.getAddress.getPort}"

  def close(): Unit = server.stop(0)

  private def respond(exchange: HttpExchange): Unit = {
    exchange.getRequestBody.readAllBytes()
    val body = answer.getBytes(UTF_8)
    exchange.getResponseHeaders.add("Content-Type", "application/json")
    exchange.sendResponseHeaders(status, body.length.toLong)
    exchange.getResponseBody.write(body)
    exchange.close()
  }
}
