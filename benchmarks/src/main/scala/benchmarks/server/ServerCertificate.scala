package benchmarks.server

import java.nio.file.{Files, Path}
import java.security.KeyStore

/** A certificate for `localhost` and 127.0.0.1, made by the JDK's `keytool`, in files for hub, broker and clients. */
final class ServerCertificate extends AutoCloseable {

  import ServerCertificate.Password

  /** It protects nothing: the key lives as long as the benchmark. */
  val password: String = Password

  private val folder = Files.createTempDirectory("certificate")

  /** PKCS #12, with the private key. */
  val keyStore: Path = folder.resolve("server.p12")

  /** PKCS #12, for clients. */
  val trustStore: Path = folder.resolve("trust.p12")
  val passwordFile: Path = Files.writeString(folder.resolve("password"), Password + "\n")

  makeKey()
  writeTrustStore()

  /** Options of a client's JVM. */
  def javaOptions: Seq[String] =
    Seq(s"-Djavax.net.ssl.trustStore=$trustStore", s"-Djavax.net.ssl.trustStorePassword=$Password")

  override def close(): Unit =
    Seq(keyStore, trustStore, passwordFile, folder).foreach(Files.deleteIfExists(_))

  private def makeKey(): Unit = {
    val keytool = new ProcessBuilder(
      Path.of(sys.props("java.home"), "bin", "keytool").toString,
      "-genkeypair",
      "-alias",
      "server",
      "-keyalg",
      "RSA",
      "-keysize",
      "2048",
      "-validity",
      "7",
      "-dname",
      "CN=localhost",
      "-ext",
      "san=dns:localhost,ip:127.0.0.1",
      "-storetype",
      "PKCS12",
      "-keystore",
      keyStore.toString,
      "-storepass",
      Password
    ).redirectErrorStream(true).start()
    val output = new String(keytool.getInputStream.readAllBytes())
    require(keytool.waitFor() == 0, s"keytool made no certificate: $output")
  }

  private def writeTrustStore(): Unit = {
    val certificate = KeyStore.getInstance(keyStore.toFile, Password.toCharArray).getCertificate("server")
    val trusted = KeyStore.getInstance("PKCS12")
    trusted.load(null, null)
    trusted.setCertificateEntry("server", certificate)
    val out = Files.newOutputStream(trustStore)
    try trusted.store(out, Password.toCharArray)
    finally out.close()
  }
}

private object ServerCertificate {
  private val Password = "benchmark"
}
