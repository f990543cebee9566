package localhub.amqp.layer

import java.nio.file.{Files, Path}
import java.security.KeyStore
import java.security.cert.Certificate
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

  private val EllipticKey = Seq("-keyalg", "EC", "-groupname", "secp256r1", "-validity", "3650")

  /** The first private key of a PKCS #12 key store, with its certificate. */
  def fromKeyStore(file: Path, password: String): TlsIdentity = {
    val stream = Files.newInputStream(file)
    val store = KeyStore.getInstance("PKCS12")
    try store.load(stream, password.toCharArray)
    finally stream.close()
    val alias = store.aliases.asScala.find(store.isKeyEntry)
      .getOrElse(throw new IllegalArgumentException(
        "The key store has no private key; expected one, with its certificate."
      ))
    new TlsIdentity(contextOf(store, password), store.getCertificate(alias))
  }

  /** A new key with a certificate for these names and addresses, self-signed, valid for ten years. */
  def selfSigned(hosts: Seq[String] = Seq("localhost")): TlsIdentity = Keytool.in { keytool =>
    keytool.generate(Server, subject(hosts), EllipticKey ++ Seq("-ext", names(hosts)): _*)
    val store = keytool.load()
    new TlsIdentity(contextOf(store, keytool.password), store.getCertificate(Server))
  }

  /** As [[selfSigned]], but with a certificate that a new certificate authority signs. */
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
    if (host.matches("[0-9.]+") || host.contains(':')) s"ip:$host" else s"dns:$host"
}
