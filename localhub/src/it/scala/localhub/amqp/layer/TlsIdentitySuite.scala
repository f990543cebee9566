package localhub.amqp.layer

import java.nio.file.Files
import java.nio.file.attribute.PosixFilePermissions
import java.security.cert.X509Certificate
import java.time.{Duration, Instant}

import scala.jdk.CollectionConverters._

import localhub.log.TempDirectory
import localhub.namespace.DataDirectory
import testkit.TestSuite

class TlsIdentitySuite extends TestSuite {

  // Name types of X.509.
  private val (dns, ip) = (2, 7)

  private def names(hosts: String*): Set[(Int, String)] =
    TlsIdentity.selfSigned(hosts).certificate.asInstanceOf[X509Certificate].getSubjectAlternativeNames.asScala
      .map(name => name.get(0).asInstanceOf[Integer].intValue -> name.get(1).toString).toSet

  test("a generated certificate has DNS names for host names and IP names for addresses") {
    assert(names("localhost", "build-7.example") ==
      Set(dns -> "localhost", dns -> "build-7.example", ip -> "127.0.0.1"))
    assert(names("localhost", "192.168.1.5") == Set(dns -> "localhost", ip -> "192.168.1.5", ip -> "127.0.0.1"))
    assert(names("localhost", "127.0.0.1") == Set(dns -> "localhost", ip -> "127.0.0.1"))
    assert(names("::1") == Set(ip -> "0:0:0:0:0:0:0:1", ip -> "127.0.0.1"))
  }

  test("a kept certificate stays the same until it expires or is for other hosts; only its owner can read the key") {
    val file = TempDirectory.create().resolve("tls.p12")
    val now = Instant.now()
    def kept(at: Instant = now, hosts: Seq[String] = Seq("localhost", "::1")) =
      TlsIdentity.kept(file, hosts, at, DataDirectory.writeSecret(file, _))
    val first = kept().certificatePem
    assert(kept().certificatePem == first && kept(hosts = Seq("127.0.0.1")).certificatePem == first)
    assert(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)) == "rw-------")
    val other = kept(hosts = Seq("build-7.example")).certificatePem
    assert(other != first && kept(hosts = Seq("build-7.example")).certificatePem == other)
    // A later clock than the certificate's, which is valid for ten years.
    assert(kept(now.plus(Duration.ofDays(3651)), Seq("build-7.example")).certificatePem != other)
  }
}
