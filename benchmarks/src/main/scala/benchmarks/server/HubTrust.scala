package benchmarks.server

import java.io.ByteArrayInputStream
import java.nio.charset.StandardCharsets.UTF_8
import java.security.KeyStore
import java.security.cert.CertificateFactory
import javax.net.ssl.{SSLContext, TrustManagerFactory}

/** Makes this JVM trust only the certificate of a hub. */
object HubTrust {

  def apply(hub: HubProcess): Unit = {
    val certificate = CertificateFactory.getInstance("X.509")
      .generateCertificate(new ByteArrayInputStream(hub.certificate.getBytes(UTF_8)))
    val store = KeyStore.getInstance("PKCS12")
    store.load(null, null)
    store.setCertificateEntry("hub", certificate)
    val trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm)
    trusted.init(store)
    val context = SSLContext.getInstance("TLS")
    context.init(null, trusted.getTrustManagers, null)
    // System properties come too late: the HTTP client has already created the default context.
    SSLContext.setDefault(context)
  }
}
