package localhub.amqp.layer

import java.nio.file.{Files, Path}
import java.security.KeyStore
import java.util.UUID
import java.util.concurrent.TimeUnit

/** A temporary PKCS #12 key store in which the JDK's keytool generates keys with certificates. */
private[localhub] final class Keytool private (file: Path, val password: String) {

  /**
   * A new key with a certificate that it signs itself, unless `-signer` names the alias of another one.
   *
   * @param subject such as `CN=localhost`
   */
  def generate(alias: String, subject: String, options: String*): Unit = {
    val keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString
    val fixed = Seq(keytool, "-genkeypair", "-alias", alias, "-dname", subject, "-storetype", "PKCS12", "-keystore")
    val command = (fixed :+ file.toString) ++ Seq("-storepass:env", Keytool.PasswordVariable) ++ options
    val builder = new ProcessBuilder(command: _*).redirectErrorStream(true)
    // In keytool's environment, because other users can see its arguments.
    builder.environment.put(Keytool.PasswordVariable, password)
    val process = builder.start()
    val said = new String(process.getInputStream.readAllBytes())
    if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue != 0)
      throw new IllegalStateException(s"$keytool could not create a certificate: $said. Use a key store instead.")
  }

  def load(): KeyStore = Keytool.load(file, password)
}

private[localhub] object Keytool {
  private val PasswordVariable = "LOCALHUB_STORE_PASSWORD"

  def load(file: Path, password: String): KeyStore = {
    val store = KeyStore.getInstance("PKCS12")
    val stream = Files.newInputStream(file)
    try store.load(stream, password.toCharArray)
    finally stream.close()
    store
  }

  def in[A](use: Keytool => A): A = {
    val directory = Files.createTempDirectory("localhub-tls")
    val file = directory.resolve("identity.p12")
    try use(new Keytool(file, UUID.randomUUID.toString))
    finally {
      Files.deleteIfExists(file)
      Files.deleteIfExists(directory)
      ()
    }
  }
}
