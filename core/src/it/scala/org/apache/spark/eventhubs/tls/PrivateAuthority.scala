package org.apache.spark.eventhubs.tls

import java.nio.file.{Files, Path}

import localhub.KeyStoreFile

/** A private certificate authority, made with the JDK's keytool. */
private[eventhubs] final class PrivateAuthority {

  private val folder = Files.createTempDirectory("authority")
  private val password = "changeit"
  private val store = folder.resolve("ca.p12")

  keytool("-genkeypair", "-alias", "ca", "-dname", "CN=Contoso CA", "-ext", "bc:c", "-keystore", store.toString)

  /** The authority's certificate in PEM. */
  val pem: Path = folder.resolve("ca.pem")
  keytool("-exportcert", "-rfc", "-alias", "ca", "-keystore", store.toString, "-file", pem.toString)

  /** A server's key with a certificate for `host` that this authority signed, valid for a day from `start`. */
  def issue(host: String, start: String = "-1H"): KeyStoreFile = {
    val server = Files.createTempFile(folder, "server", ".p12")
    Files.delete(server)
    val of = Seq("-alias", "server", "-keystore", server.toString)
    val request = folder.resolve("request")
    val signed = folder.resolve("signed.pem")
    keytool("-genkeypair" +: "-dname" +: s"CN=$host" +: of: _*)
    keytool("-certreq" +: "-file" +: request.toString +: of: _*)
    val signing = Seq("-gencert", "-alias", "ca", "-keystore", store.toString, "-rfc", "-infile", request.toString)
    val valid = Seq("-ext", s"SAN=dns:$host", "-startdate", start, "-validity", "1", "-outfile", signed.toString)
    keytool(signing ++ valid: _*)
    keytool("-importcert", "-noprompt", "-alias", "ca", "-file", pem.toString, "-keystore", server.toString)
    keytool("-importcert" +: "-file" +: signed.toString +: of: _*)
    KeyStoreFile(server, password)
  }

  def close(): Unit = {
    val files = Files.list(folder)
    try files.forEach(file => Files.delete(file))
    finally files.close()
    Files.delete(folder)
  }

  private def keytool(arguments: String*): Unit = {
    val program = Path.of(System.getProperty("java.home"), "bin", "keytool").toString
    val key = if (arguments.headOption.contains("-genkeypair")) Seq("-keyalg", "EC") else Nil
    val command = (program +: arguments) ++ key ++ Seq("-storetype", "PKCS12", "-storepass", password)
    val process = new ProcessBuilder(command: _*).redirectErrorStream(true).start()
    val said = new String(process.getInputStream.readAllBytes())
    assert(process.waitFor() == 0, s"$command: $said")
  }
}
