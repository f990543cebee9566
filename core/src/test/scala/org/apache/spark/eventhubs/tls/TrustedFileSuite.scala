package org.apache.spark.eventhubs.tls

import java.nio.file.{Files, Path}
import java.security.cert.{CertPathValidatorException, CertificateException}

import org.apache.spark.eventhubs.EventHubsException
import testkit.TestSuite

/** The file of trusted certificates while it is being replaced, and what a refused certificate says. */
class TrustedFileSuite extends TestSuite {

  private val pem = Files.readString(Path.of(getClass.getResource("/tls/contoso.pem").toURI))

  private def withFile(test: Path => Unit): Unit = {
    val file = Files.createTempFile("trusted", ".pem")
    try test(file)
    finally { Files.deleteIfExists(file); () }
  }

  private def context(file: Path) = TrustedCertificates.context(Some(file.toString)).getOrElse(fail("no context"))

  test("while the file is absent, empty or half written, the certificates of before are trusted") {
    withFile { file =>
      Files.writeString(file, pem)
      val before = context(file)
      Files.writeString(file, pem.take(pem.length / 2))
      assert(context(file) eq before)
      Files.writeString(file, "")
      assert(context(file) eq before)
      Files.delete(file)
      assert(context(file) eq before)
      Files.writeString(file, s"$pem\n")
      assert((context(file) ne before) && (context(file) eq context(file)))
    }
  }

  test("a file that was never read is refused when it is absent or half written") {
    withFile { file =>
      Files.writeString(file, pem.take(pem.length / 2))
      assert(intercept[EventHubsException](context(file)).getCondition == "EVENTHUBS_INVALID_OPTION")
      Files.delete(file)
      assert(intercept[EventHubsException](context(file)).getCondition == "EVENTHUBS_INVALID_OPTION")
    }
  }

  test("a refusal without a text is named by its class") {
    val refused = CertificateRefused.in(new RuntimeException(new CertificateException()), "contoso:443")
    assert(refused.map(_.problem).contains("CertificateException"))
    val inside = new CertificateException("path", new CertPathValidatorException("revoked"))
    assert(CertificateRefused.in(inside, "contoso:443").map(_.problem).contains("path"))
  }
}
