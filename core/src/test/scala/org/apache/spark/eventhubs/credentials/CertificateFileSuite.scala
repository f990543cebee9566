package org.apache.spark.eventhubs.credentials

import java.nio.charset.StandardCharsets.US_ASCII
import java.nio.file.{Files, Path}
import java.security.KeyStore
import java.util.Base64

import org.scalatest.BeforeAndAfterAll

import org.apache.spark.eventhubs.{EventHubsException, Secret}
import testkit.TestSuite

class CertificateFileSuite extends TestSuite with BeforeAndAfterAll {

  private val folder = Files.createTempDirectory("certificates")
  private val pfx = folder.resolve("client.pfx")
  private val pem = folder.resolve("client.pem")

  override def beforeAll(): Unit = {
    super.beforeAll()
    val keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString
    val command = Seq(keytool, "-genkeypair", "-keyalg", "RSA", "-alias", "a", "-dname", "CN=app", "-storetype") ++
      Seq("PKCS12", "-storepass", "changeit", "-keystore", pfx.toString)
    assert(new ProcessBuilder(command: _*).redirectErrorStream(true).start().waitFor() == 0)
    val store = KeyStore.getInstance("PKCS12")
    val stream = Files.newInputStream(pfx)
    try store.load(stream, "changeit".toCharArray)
    finally stream.close()
    val parts = Seq(
      "PRIVATE KEY" -> store.getKey("a", "changeit".toCharArray).getEncoded,
      "CERTIFICATE" -> store.getCertificate("a").getEncoded
    ).map { case (name, bytes) =>
      s"-----BEGIN $name-----\n${Base64.getMimeEncoder.encodeToString(bytes)}\n-----END $name-----\n"
    }
    Files.write(pem, parts.mkString.getBytes(US_ASCII))
    ()
  }

  override def afterAll(): Unit = {
    Seq(pfx, pem, folder).foreach(Files.deleteIfExists(_))
    super.afterAll()
  }

  private def refused(path: Path, password: Option[String]): EventHubsException =
    intercept[EventHubsException](CertificateFile.read(path.toString, password.map(Secret(_))))

  test("the content decides whether a file is PEM or PFX") {
    assert(CertificateFile.read(pem.toString, None).isPem)
    assert(!CertificateFile.read(pfx.toString, Some(Secret("changeit"))).isPem)
  }

  test("a file is equal to itself until it changes") {
    val first = CertificateFile.read(pem.toString, None)
    assert(first == CertificateFile.read(pem.toString, None))
    assert(first != CertificateFile.read(pfx.toString, Some(Secret("changeit"))))
  }

  test("a missing file, and one without a key, are named") {
    val missing = refused(folder.resolve("none.pem"), None)
    assert(missing.getMessage.contains("'eventhubs.auth.certificatePath' is '") &&
      missing.getMessage.contains(s"none.pem'; expected a file that ${Machine.name} can read"))
    val other = Files.writeString(folder.resolve("other.txt"), "no certificate")
    try assert(refused(other, None).getMessage.contains("expected a PEM or PFX file"))
    finally Files.delete(other)
  }

  test("a wrong password and a missing one are named by their option") {
    val wrong = refused(pfx, Some("hunter2"))
    assert(
      wrong.getMessage.contains("'eventhubs.auth.certificatePassword' is '***'; expected the password of the file")
    )
    assert(!wrong.getMessage.contains("hunter2"))
    assert(refused(pfx, None).getMessage.contains("'eventhubs.auth.certificatePassword' is not set"))
  }

  test("a password for a PEM file is a contradiction") {
    assert(refused(pem, Some("changeit")).getCondition == "EVENTHUBS_CONFLICTING_OPTIONS")
  }
}
