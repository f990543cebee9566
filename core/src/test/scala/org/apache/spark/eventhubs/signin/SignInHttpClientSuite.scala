package org.apache.spark.eventhubs.signin

import java.io.IOException
import java.net.URI
import java.nio.file.Files
import java.util.Base64
import javax.net.ssl.HttpsURLConnection

import com.azure.core.credential.TokenRequestContext
import com.azure.core.http.{HttpMethod, HttpRequest}

import org.apache.spark.eventhubs.connection.{
  BasicSignIn,
  ConnectProxy,
  DigestSignIn,
  HttpProxyVariable,
  SdkErrors,
  SignInRule
}
import org.apache.spark.eventhubs.options.{ProxyAddress, ProxyScheme, ProxySettings, ProxySignIn}
import org.apache.spark.eventhubs.tls.CertificateRefused
import org.apache.spark.eventhubs.{Credential, EventHubName, Secret}
import testkit.TestSuite

/** Requests of a sign-in over real sockets: TLS with a private authority, and HTTP proxies. */
class SignInHttpClientSuite extends TestSuite {

  private val Answer = """{"access_token": "t"}"""
  private val ann = ProxySignIn("ann", Secret("s3:cret"), ProxyScheme.Basic)

  private def withService(test: (SignInService, Option[String]) => Unit): Unit = {
    val service = new SignInService(200, Answer)
    val pem = Files.createTempFile("service", ".pem")
    try {
      val body = Base64.getMimeEncoder.encodeToString(service.certificate.getEncoded)
      Files.writeString(pem, s"-----BEGIN CERTIFICATE-----\n$body\n-----END CERTIFICATE-----\n")
      test(service, Some(pem.toString))
    } finally {
      service.close()
      Files.delete(pem)
    }
  }

  private def withProxy(rule: Option[SignInRule])(test: ConnectProxy => Unit): Unit = {
    val proxy = new ConnectProxy(rule)
    try test(proxy)
    finally proxy.close()
  }

  private def settings(proxy: ConnectProxy, signIn: Option[ProxySignIn]) =
    ProxySettings(Some(ProxyAddress("127.0.0.1", proxy.port)), signIn)

  /** Status and body. */
  private def post(address: String, network: SignInNetwork): (Int, String) = {
    val request = new HttpRequest(HttpMethod.POST, URI.create(s"$address/contoso/oauth2/v2.0/token").toURL)
      .setBody("grant_type=client_credentials")
    val answer = new SignInHttpClient(network).send(request).block()
    (answer.getStatusCode, answer.getBodyAsString.block())
  }

  test("an authority with a private certificate is trusted by the file, with and without a proxy that wants a sign-in") {
    withService { (service, pem) =>
      assert(post(service.address, SignInNetwork(ProxySettings.Unset, pem)) == ((200, Answer)))
      withProxy(Some(BasicSignIn("ann:s3:cret"))) { proxy =>
        assert(post(service.address, SignInNetwork(settings(proxy, Some(ann)), pem)) == ((200, Answer)))
        assert(proxy.tunnels == Seq(service.address.stripPrefix("https://")))
      }
    }
  }

  test("a proxy that wants HTTP's Digest scheme gets it") {
    withService { (service, pem) =>
      withProxy(Some(DigestSignIn("ann", "s3:cret"))) { proxy =>
        val network = SignInNetwork(settings(proxy, Some(ann.copy(scheme = ProxyScheme.Digest))), pem)
        assert(post(service.address, network) == ((200, Answer)))
      }
    }
  }

  test("the proxy of the environment is used, but not for a host in NO_PROXY") {
    withService { (service, pem) =>
      withProxy(None) { proxy =>
        val network = SignInNetwork(ProxySettings.Unset, pem)
        val url = "HTTPS_PROXY" -> s"http://127.0.0.1:${proxy.port}"
        HttpProxyVariable.setAll(url)(assert(post(service.address, network)._1 == 200))
        assert(proxy.tunnels.size == 1)
        HttpProxyVariable.setAll(url, "NO_PROXY" -> "localhost")(assert(post(service.address, network)._1 == 200))
        assert(proxy.tunnels.size == 1)
      }
    }
  }

  test("only the proxy resolves the name of the authority") {
    withService { (service, pem) =>
      val port = service.address.split(":").last.toInt
      val proxy = new ConnectProxy(always = Some(port))
      try {
        val failed = intercept[RuntimeException](
          post(s"https://login.invalid:$port", SignInNetwork(settings(proxy, None), pem))
        )
        // The tunnel led to the service, whose certificate is for another name: it is checked behind a proxy too.
        val refused = SdkErrors.cause(failed).asInstanceOf[CertificateRefused]
        assert(refused.host == s"login.invalid:$port" && refused.problem.contains("another name"))
        assert(proxy.tunnels == Seq(s"login.invalid:$port"))
      } finally proxy.close()
    }
  }

  test("a proxy that refuses the sign-in is named, without the password") {
    withService { (service, pem) =>
      withProxy(Some(BasicSignIn("ann:other"))) { proxy =>
        val failed = intercept[RuntimeException](post(service.address, SignInNetwork(settings(proxy, Some(ann)), pem)))
        val said = SdkErrors.cause(failed).asInstanceOf[IOException].getMessage
        assert(said.contains(s"127.0.0.1:${proxy.port}") && said.contains("407") && !said.contains("s3:cret"))
      }
    }
  }

  test("a proxy that refuses a sign-in, or that is away, is the proxy's error and not the service's") {
    val who = Credential.ClientSecret("contoso", "reader", Secret("x"), Some("https://localhost:1"))
    def failureThrough(network: SignInNetwork) = {
      val request = new TokenRequestContext().addScopes("https://eventhubs.azure.net/.default")
      val failed = intercept[Throwable](EntraSignIn.of(who, network).getToken(request).toFuture.get())
      val shown = SdkErrors.translate(failed, EventHubName("contoso", "telemetry"), "asking")
      assert(shown.getCondition == "EVENTHUBS_PROXY", shown.getMessage)
      assert(shown.getMessage.contains("(from 'eventhubs.proxy.address')"))
      (SdkErrors.isTransient(failed), shown.getMessage)
    }
    withProxy(Some(BasicSignIn("ann:other"))) { proxy =>
      val (isTransient, said) = failureThrough(SignInNetwork(settings(proxy, Some(ann)), None))
      assert(!isTransient && said.contains("407") && said.contains(s"127.0.0.1:${proxy.port}"))
    }
    val away = new ConnectProxy()
    away.close()
    assert(failureThrough(SignInNetwork(settings(away, None), None))._1)
  }

  test("a variable that names no HTTP proxy does not stop a sign-in") {
    withService { (service, pem) =>
      HttpProxyVariable.setAll("HTTPS_PROXY" -> "https://127.0.0.1:1") {
        assert(post(service.address, SignInNetwork(ProxySettings.Unset, pem)) == ((200, Answer)))
      }
    }
  }

  test("an authority with an unknown certificate is a refused certificate with its host, and final") {
    withService { (service, _) =>
      val failed = intercept[RuntimeException](post(service.address, SignInNetwork(ProxySettings.Unset, None)))
      val host = service.address.stripPrefix("https://")
      val shown = SdkErrors.translate(failed, EventHubName("contoso", "telemetry"), "asking")
      assert(shown.getCondition == "EVENTHUBS_CERTIFICATE" && !SdkErrors.isTransient(failed))
      assert(shown.getMessage.contains(s"the certificate of $host is not accepted: its issuer is unknown to this JVM"))
    }
  }

  test("another name in the certificate is refused, also in a JVM that accepts every name by default") {
    withService { (service, pem) =>
      val usual = HttpsURLConnection.getDefaultHostnameVerifier
      HttpsURLConnection.setDefaultHostnameVerifier((_, _) => true)
      val address = service.address.replace("localhost", "127.0.0.1")
      val failed =
        try intercept[RuntimeException](post(address, SignInNetwork(ProxySettings.Unset, pem)))
        finally HttpsURLConnection.setDefaultHostnameVerifier(usual)
      assert(SdkErrors.cause(failed).asInstanceOf[CertificateRefused].problem.contains("another name"))
    }
  }
}
