package localhub.amqp.layer

import java.io.ByteArrayInputStream
import java.nio.charset.StandardCharsets.US_ASCII
import java.security.PrivateKey
import java.security.cert.{Certificate, CertificateFactory, X509Certificate}
import java.util.Base64

/** Certificates and keys as PEM text. */
private[localhub] object Pem {

  def of(certificate: Certificate): String = block("CERTIFICATE", certificate.getEncoded)

  /** Returns the key in PKCS #8, without encryption. */
  def of(key: PrivateKey): String = block("PRIVATE KEY", key.getEncoded)

  /** @throws java.security.cert.CertificateException when the text has no certificate */
  def certificate(text: String): X509Certificate =
    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(text.getBytes(US_ASCII)))
      .asInstanceOf[X509Certificate]

  private def block(kind: String, bytes: Array[Byte]): String = {
    val body = Base64.getMimeEncoder(64, "\n".getBytes(US_ASCII)).encodeToString(bytes)
    s"-----BEGIN $kind-----\n$body\n-----END $kind-----\n"
  }
}
