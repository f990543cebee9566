package localhub.amqp.layer

import java.io.InputStream
import java.nio.charset.StandardCharsets.US_ASCII
import java.nio.file.{Files, Path}
import java.security.KeyStore
import java.security.cert.Certificate
import java.util.concurrent.TimeUnit
import java.util.{Base64, UUID}
import javax.net.ssl.{KeyManagerFactory, SSLContext, SSLEngine}

import scala.jdk.CollectionConverters._

/**
 * The certificate and key with which a server proves who it is.
 *
 * @param certificate for clients that are to trust it
 */
final class TlsIdentity private (context: SSLContext, val certificate: Certificate) {

  /** The certificate as files hold it, for a client's list of authorities. */
  def certificatePem: String = {
    val body = Base64.getMimeEncoder(64, "\n".getBytes(US_ASCII)).encodeToString(certificate.getEncoded)
    s"-----BEGIN CERTIFICATE-----\n$body\n-----END CERTIFICATE-----\n"
  }

  private[layer] def newEngine(): SSLEngine = {
    val engine = context.createSSLEngine()
    engine.setUseClientMode(false)
    engine
  }
}

object TlsIdentity {

  /** The first private key of a PKCS #12 key store, with its certificate. */
  def fromKeyStore(file: Path, password: String): TlsIdentity = {
    val stream = Files.newInputStream(file)
    try fromKeyStore(stream, password)
    finally stream.close()
  }

  /** A new key and a certificate that the JDK's keytool signs with it, good for ten years and these names and addresses. */
  def selfSigned(hosts: Seq[String] = Seq("localhost")): TlsIdentity = {
    val directory = Files.createTempDirectory("localhub-tls")
    val store = directory.resolve("identity.p12")
    val password = UUID.randomUUID.toString
    try {
      runKeytool(store, password, hosts)
      fromKeyStore(store, password)
    } finally {
      Files.deleteIfExists(store)
      Files.deleteIfExists(directory)
      ()
    }
  }

  private def fromKeyStore(stream: InputStream, password: String): TlsIdentity = {
    val store = KeyStore.getInstance("PKCS12")
    store.load(stream, password.toCharArray)
    val alias = store.aliases.asScala.find(store.isKeyEntry)
      .getOrElse(throw new IllegalArgumentException(
        "The key store holds no private key; expected one, with its certificate."
      ))
    val keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm)
    keys.init(store, password.toCharArray)
    val context = SSLContext.getInstance("TLS")
    context.init(keys.getKeyManagers, Array.empty, new java.security.SecureRandom)
    new TlsIdentity(context, store.getCertificate(alias))
  }

  private def runKeytool(store: Path, password: String, hosts: Seq[String]): Unit = {
    val keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString
    val names = (hosts.map(subject) :+ "ip:127.0.0.1").distinct.mkString("SAN=", ",", "")
    val builder = new ProcessBuilder(
      keytool,
      "-genkeypair",
      "-alias",
      "localhub",
      "-keyalg",
      "EC",
      "-groupname",
      "secp256r1",
      "-validity",
      "3650",
      "-dname",
      s"CN=${hosts.headOption.getOrElse("localhost")}",
      "-ext",
      names,
      "-storetype",
      "PKCS12",
      "-keystore",
      store.toString,
      "-storepass:env",
      PasswordVariable
    ).redirectErrorStream(true)
    // In the environment of keytool only: its arguments could be seen by other users.
    builder.environment.put(PasswordVariable, password)
    val process = builder.start()
    val said = new String(process.getInputStream.readAllBytes())
    if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue != 0)
      throw new IllegalStateException(s"$keytool could not make a certificate: $said. Give a key store instead.")
  }

  /** A client that connects to an address looks for an address. */
  private def subject(host: String): String =
    if (host.matches("[0-9.]+") || host.contains(':')) s"ip:$host" else s"dns:$host"

  private val PasswordVariable = "LOCALHUB_STORE_PASSWORD"
}
