package localhub.authority

import java.io.ByteArrayOutputStream
import java.security.cert.X509Certificate
import java.security.{KeyStore, PrivateKey}

import localhub.amqp.layer.{Keytool, Pem}

/** A generated RSA key with a self-signed certificate, with which an application signs in. */
final class ClientCertificate private (key: PrivateKey, val certificate: X509Certificate) {

  /** The private key and the certificate, as one PEM text. */
  def pem: String = Pem.of(key) + Pem.of(certificate)

  /** Returns the private key and the certificate as a PKCS #12 (PFX) file. */
  def pkcs12(password: String): Array[Byte] = {
    val store = KeyStore.getInstance("PKCS12")
    store.load(None.orNull, Array.emptyCharArray)
    store.setKeyEntry(ClientCertificate.Alias, key, password.toCharArray, Array(certificate))
    val bytes = new ByteArrayOutputStream
    store.store(bytes, password.toCharArray)
    bytes.toByteArray
  }
}

object ClientCertificate {
  private val Alias = "application"

  /** @param days how long it is valid; a negative number is for one that has expired */
  def generate(name: String, days: Int = 365): ClientCertificate = Keytool.in { keytool =>
    val start = if (days < 0) Seq("-startdate", s"${days - 1}d", "-validity", "1") else Seq("-validity", days.toString)
    val subject = s"CN=${name.replaceAll("[^A-Za-z0-9 ._-]", "-")}"
    keytool.generate(Alias, subject, Seq("-keyalg", "RSA", "-keysize", "2048") ++ start: _*)
    val store = keytool.load()
    (store.getKey(Alias, keytool.password.toCharArray), store.getCertificate(Alias)) match {
      case (key: PrivateKey, certificate: X509Certificate) => new ClientCertificate(key, certificate)
      case _ => throw new IllegalStateException("keytool generated no key with a certificate.")
    }
  }
}
