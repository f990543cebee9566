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
 * A server's certificate and private key.
 *
 * @param certificate for the trust store of clients
 */
private[localhub] final class TlsIdentity private (context: SSLContext, val certificate: Certificate) {

  /** The certificate in PEM, for a client's CA file. */
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

private[localhub] object TlsIdentity {

  /** The first private key of a PKCS #12 key store, with its certificate. */
  def fromKeyStore(file: Path, password: String): TlsIdentity = {
    val stream = Files.newInputStream(file)
    try fromKeyStore(stream, password)
    finally stream.close()
  }

  /**
   * A new key with a certificate for these names and addresses, self-signed by the JDK's keytool, valid for ten years.
   */
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
        "The key store has no private key; expected one, with its certificate."
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
    // In keytool's environment, because other users can see its arguments.
    builder.environment.put(PasswordVariable, password)
    val process = builder.start()
    val said = new String(process.getInputStream.readAllBytes())
    if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue != 0)
      throw new IllegalStateException(s"$keytool could not create a certificate: $said. Use a key store instead.")
  }

  /** A client that connects to an IP address expects one in the certificate. */
  private def subject(host: String): String =
    if (host.matches("[0-9.]+") || host.contains(':')) s"ip:$host" else s"dns:$host"

  private val PasswordVariable = "LOCALHUB_STORE_PASSWORD"
}
