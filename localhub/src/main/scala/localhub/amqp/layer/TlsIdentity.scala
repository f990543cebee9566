package localhub.amqp.layer

import java.io.ByteArrayOutputStream
import java.net.InetAddress
import java.nio.file.{Files, Path}
import java.security.KeyStore
import java.security.cert.{Certificate, X509Certificate}
import java.time.{Duration, Instant}
import javax.net.ssl.{KeyManagerFactory, SSLContext, SSLEngine}

import scala.jdk.CollectionConverters._

/**
 * A server's certificate and private key.
 *
 * @param context     for the server's sockets
 * @param certificate for the trust store of clients: the server's own, or that of the authority that signed it
 */
private[localhub] final class TlsIdentity private (val context: SSLContext, val certificate: Certificate) {

  /** The certificate in PEM, for a client's CA file. */
  def certificatePem: String = Pem.of(certificate)

  private[layer] def newEngine(): SSLEngine = {
    val engine = context.createSSLEngine()
    engine.setUseClientMode(false)
    engine
  }
}

private[localhub] object TlsIdentity {

  private val Server = "localhub"
  private val Issuer = "issuer"

  /** Not a secret: the file's mode protects it. A key store needs one. */
  private val KeptPassword = "localhub"

  /** No connection of a day may meet an expired certificate. */
  private val RenewedBefore = Duration.ofDays(1)

  private val EllipticKey = Seq("-keyalg", "EC", "-groupname", "secp256r1", "-validity", "3650")

  /** The first private key of a PKCS #12 key store, with its certificate. */
  def fromKeyStore(file: Path, password: String): TlsIdentity = {
    val store = Keytool.load(file, password)
    val alias = store.aliases.asScala.find(store.isKeyEntry)
      .getOrElse(throw new IllegalArgumentException(
        "The key store has no private key; expected one, with its certificate."
      ))
    new TlsIdentity(contextOf(store, password), store.getCertificate(alias))
  }

  /** A new key with a certificate for these names and addresses, self-signed, valid for ten years. */
  def selfSigned(hosts: Seq[String] = Seq("localhost")): TlsIdentity = {
    val (store, password) = generated(hosts)
    new TlsIdentity(contextOf(store, password), store.getCertificate(Server))
  }

  private def generated(hosts: Seq[String]): (KeyStore, String) = Keytool.in { keytool =>
    keytool.generate(Server, subject(hosts), EllipticKey ++ Seq("-ext", names(hosts)): _*)
    (keytool.load(), keytool.password)
  }

  /**
   * The identity in this file, so that clients can keep trusting it. A new one is generated and stored if there is no
   * file, if its certificate has expired, or if that is for other hosts.
   *
   * @param write stores the file, which has the private key
   * @throws java.io.IOException when the file is no such key store, or cannot be read or written
   */
  def kept(file: Path, hosts: Seq[String], now: Instant, write: Array[Byte] => Unit): TlsIdentity = {
    def stored = fromKeyStore(file, KeptPassword)
    if (!Files.exists(file) || !isUsable(stored.certificate, hosts, now)) {
      val (store, password) = generated(hosts)
      val key = store.getKey(Server, password.toCharArray)
      store.setKeyEntry(Server, key, KeptPassword.toCharArray, store.getCertificateChain(Server))
      val bytes = new ByteArrayOutputStream
      store.store(bytes, KeptPassword.toCharArray)
      write(bytes.toByteArray)
    }
    stored
  }

  private def isUsable(certificate: Certificate, hosts: Seq[String], now: Instant): Boolean = certificate match {
    case found: X509Certificate =>
      val names =
        Option(found.getSubjectAlternativeNames).fold(Set.empty[String])(_.asScala.map(_.get(1).toString).toSet)
      found.getNotAfter.toInstant.isAfter(now.plus(RenewedBefore)) && hosts.map(asInCertificate).forall(names)
    case _ => false
  }

  /** An IPv6 address has all its numbers there. */
  private def asInCertificate(host: String): String =
    if (isAddress(host)) InetAddress.getByName(host).getHostAddress else host

  /** Generates a certificate that a new certificate authority signs. */
  def signed(hosts: Seq[String] = Seq("localhost")): TlsIdentity = Keytool.in { keytool =>
    keytool.generate(Issuer, "CN=Local certificate authority", EllipticKey ++ Seq("-ext", "bc:c=ca:true"): _*)
    keytool.generate(Server, subject(hosts), EllipticKey ++ Seq("-ext", names(hosts), "-signer", Issuer): _*)
    val store = keytool.load()
    val issuer = store.getCertificate(Issuer)
    // The server must not offer the authority's own certificate.
    store.deleteEntry(Issuer)
    new TlsIdentity(contextOf(store, keytool.password), issuer)
  }

  private def contextOf(store: KeyStore, password: String): SSLContext = {
    val keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm)
    keys.init(store, password.toCharArray)
    val context = SSLContext.getInstance("TLS")
    context.init(keys.getKeyManagers, Array.empty, new java.security.SecureRandom)
    context
  }

  private def subject(hosts: Seq[String]): String = s"CN=${hosts.headOption.getOrElse("localhost")}"

  private def names(hosts: Seq[String]): String =
    (hosts.map(alternativeName) :+ "ip:127.0.0.1").distinct.mkString("SAN=", ",", "")

  /** A client that connects to an IP address expects one in the certificate. */
  private def alternativeName(host: String): String =
    if (isAddress(host)) s"ip:$host" else s"dns:$host"

  private def isAddress(host: String): Boolean = host.matches("[0-9.]+") || host.contains(':')
}
