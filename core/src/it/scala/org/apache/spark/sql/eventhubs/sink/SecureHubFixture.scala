package org.apache.spark.sql.eventhubs.sink

import javax.net.ssl.SSLContext

import org.scalatest.Suite

import localhub.{LocalHub, LocalHubConfig, TlsConfig}
import org.apache.spark.sql.eventhubs.source.ReadSparkFixture
import testkit.Certificates

/** A local hub with TLS, which also serves AMQP over WebSockets. */
trait SecureHubFixture extends ReadSparkFixture { this: Suite =>

  protected lazy val secure: LocalHub =
    LocalHub.start(LocalHubConfig(tls = Some(TlsConfig(port = 0))).withHub("telemetry", 2))
  private val defaultContext = SSLContext.getDefault

  // The SDK trusts the certificates that the JVM trusts.
  override protected def beforeAll(): Unit = {
    super.beforeAll()
    val pem = secure.certificatePem.getOrElse(fail("no certificate"))
    SSLContext.setDefault(Certificates.trusting(Certificates.parse(pem)))
  }

  override protected def afterAll(): Unit = {
    SSLContext.setDefault(defaultContext)
    secure.close()
    super.afterAll()
  }

  protected def overTls: String = secure.tlsConnectionString.getOrElse(fail("no TLS")) + ";EntityPath=telemetry"
}
