package localhub.amqp.layer

import java.security.cert.X509Certificate

import scala.jdk.CollectionConverters._

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
}
