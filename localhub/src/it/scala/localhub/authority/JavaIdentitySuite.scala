package localhub.authority

import java.nio.file.{Files, Path}
import java.time.Duration

import com.azure.identity.ClientCertificateCredentialBuilder

import localhub.auth.JsonWebToken
import testkit.TestSuite

/** Azure's identity library for Java as a client of the authority, without Azure. */
class JavaIdentitySuite extends TestSuite with AuthorityFixture {

  private def certificateCredential(application: Application, tenant: String) =
    new ClientCertificateCredentialBuilder()
      .authorityHost(authority.url)
      .disableInstanceDiscovery()
      .httpClient(httpClient)
      .retryOptions(retries(0))
      .tenantId(tenant)
      .clientId(application.clientId)

  private def inFile(content: Array[Byte]): Path = Files.write(Files.createTempFile("authority", ".file"), content)

  private def claim(token: String, name: String): Option[String] = JsonWebToken.parse(token).flatMap(_.text(name))

  test("a client secret signs in, in a tenant with a GUID and in adfs, and asks no other host") {
    asked.clear()
    val application = authority.register(Application("pipeline").withSecret("secret"))
    Seq(authority.tenantId, "adfs").foreach { tenant =>
      val token = signIn(withSecret(application, "secret", tenant)).getToken
      assert(claim(token, "oid").contains(application.objectId), tenant)
      assert(JsonWebToken.parse(token).exists(_.isSignedWith(authority.tenant.key.publicKey)))
    }
    assert(asked.contains("localhost") && asked.stream.allMatch(_ == "localhost"))
  }

  test("a certificate signs in as PEM and as PFX") {
    val certificate = ClientCertificate.generate("pipeline")
    val application = authority.register(Application("pipeline").withCertificate(certificate.certificate))
    val pem = inFile(certificate.pem.getBytes).toString
    val pfx = inFile(certificate.pkcs12("p w")).toString
    Seq(authority.tenantId, "adfs").foreach { tenant =>
      val byPem = certificateCredential(application, tenant).pemCertificate(pem).build()
      assert(claim(signIn(byPem).getToken, "appidacr").contains("2"), tenant)
    }
    val byPfx = certificateCredential(application, authority.tenantId)
      .pfxCertificate(pfx).clientCertificatePassword("p w").build()
    assert(claim(signIn(byPfx).getToken, "appid").contains(application.clientId))
    authority.register(application.copy(certificates = Nil))
    val refused = certificateCredential(application, authority.tenantId).pemCertificate(pem).build()
    assert(refusal(refused).contains("AADSTS700027"))
  }

  test("a wrong secret, application and tenant are refused with Microsoft's codes") {
    val application = authority.register(Application("pipeline").withSecret("secret"))
    assert(refusal(withSecret(application, "wrong")).contains("AADSTS7000215"))
    assert(refusal(withSecret(Application("unknown"), "wrong")).contains("AADSTS700016"))
    assert(refusal(withSecret(application, "secret", "3f0d1d1c-0000-4000-8000-000000000000")).contains("AADSTS90002"))
  }

  test("a throttled sign-in is repeated; a failing one fails after its retries") {
    val application = authority.register(Application("pipeline").withSecret("secret"))
    authority.faults.inject(AuthorityFault(AuthorityFaultAction.Fail(503), count = Some(1)))
    assert(signIn(withSecret(application, "secret", mostRetries = 1)).getToken.nonEmpty)
    authority.faults.inject(AuthorityFault(AuthorityFaultAction.Throttle(Duration.ofSeconds(1)), count = Some(1)))
    assert(signIn(withSecret(application, "secret", mostRetries = 1)).getToken.nonEmpty)
    val answered = authority.requests.filter(_.kind == AuthorityRequestKind.Token).takeRight(4).flatMap(_.status)
    assert(answered == Seq(503, 200, 429, 200))
    authority.faults.inject(AuthorityFault(AuthorityFaultAction.Fail(500)))
    assert(refusal(withSecret(application, "secret")).contains("AADSTS90033"))
  }

  test("secrets are in no text of an application") {
    assert(!Application("pipeline").withSecret("hidden").toString.contains("hidden"))
  }
}
