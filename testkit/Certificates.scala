package testkit

import java.io.ByteArrayInputStream
import java.nio.charset.StandardCharsets.US_ASCII
import java.security.KeyStore
import java.security.cert.{Certificate, CertificateFactory}
import javax.net.ssl.{SSLContext, TrustManagerFactory}

/** Certificates of servers that tests start. */
object Certificates {

  def parse(pem: String): Certificate =
    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(pem.getBytes(US_ASCII)))

  /** Trusts this certificate and no other. */
  def trusting(certificate: Certificate): SSLContext = {
    val store = KeyStore.getInstance(KeyStore.getDefaultType)
    store.load(None.orNull, Array.emptyCharArray)
    store.setCertificateEntry("trusted", certificate)
    val trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm)
    trust.init(store)
    val context = SSLContext.getInstance("TLS")
    context.init(Array.empty, trust.getTrustManagers, None.orNull)
    context
  }
}
