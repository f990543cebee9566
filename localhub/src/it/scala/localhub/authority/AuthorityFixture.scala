package localhub.authority

import java.net.http.{HttpClient => JdkClient}
import java.net.{Proxy, ProxySelector, SocketAddress, URI}
import java.time.{Duration, OffsetDateTime}
import java.util.concurrent.CopyOnWriteArrayList
import java.util.{List => JList}

import scala.util.Try

import com.azure.core.credential.{AccessToken, TokenCredential, TokenRequestContext}
import com.azure.core.http.HttpClient
import com.azure.core.http.jdk.httpclient.JdkHttpClientBuilder
import com.azure.core.http.policy.{FixedDelayOptions, RetryOptions}
import com.azure.identity.ClientSecretCredentialBuilder
import org.scalatest.{BeforeAndAfterAll, BeforeAndAfterEach, Suite}

import localhub.{HubConfig, LocalHub, LocalHubConfig, TlsConfig}
import testkit.Certificates

/** A hub with an authority, and Azure's own credentials that sign in there. */
trait AuthorityFixture extends BeforeAndAfterAll with BeforeAndAfterEach { this: Suite =>

  protected val EventHubs = "https://eventhubs.azure.net/.default"

  protected lazy val hub: LocalHub = LocalHub.start(
    LocalHubConfig(hubs = Seq(HubConfig("telemetry", 2, Set("dashboards")), HubConfig("alerts", 1)))
      .withTls(TlsConfig())
      .withAuthority(LocalAuthorityConfig())
  )
  protected def authority: LocalAuthority = hub.authority.get

  /** The hosts to which the credentials sent requests. */
  protected val asked = new CopyOnWriteArrayList[String]

  override protected def afterAll(): Unit = {
    hub.close()
    super.afterAll()
  }

  override protected def afterEach(): Unit = {
    authority.faults.clear()
    authority.setClockOffset(Duration.ZERO)
    super.afterEach()
  }

  // As the client of the connector: the JDK's.
  protected def httpClient: HttpClient = {
    val selector = new ProxySelector {
      override def select(address: URI): JList[Proxy] = {
        asked.add(address.getHost)
        JList.of(Proxy.NO_PROXY)
      }
      override def connectFailed(address: URI, where: SocketAddress, failure: java.io.IOException): Unit = ()
    }
    val trusting = Certificates.trusting(Certificates.parse(authority.certificatePem))
    new JdkHttpClientBuilder(JdkClient.newBuilder().sslContext(trusting).proxy(selector)).build()
  }

  protected def retries(most: Int): RetryOptions = new RetryOptions(new FixedDelayOptions(most, Duration.ofMillis(10)))

  protected def withSecret(
      application: Application,
      secret: String,
      tenant: String = authority.tenantId,
      mostRetries: Int = 0
  ): TokenCredential =
    new ClientSecretCredentialBuilder()
      .authorityHost(authority.url)
      .disableInstanceDiscovery()
      .httpClient(httpClient)
      .retryOptions(retries(mostRetries))
      .tenantId(tenant)
      .clientId(application.clientId)
      .clientSecret(secret)
      .build()

  protected def signIn(credential: TokenCredential): AccessToken =
    credential.getTokenSync(new TokenRequestContext().addScopes(EventHubs))

  /** The texts of the failure and its causes. */
  protected def refusal(credential: TokenCredential): String = {
    val failure = Try(signIn(credential)).failed
      .getOrElse(throw new AssertionError("the sign-in was expected to fail"))
    Iterator.iterate(failure)(_.getCause).takeWhile(Option(_).nonEmpty).map(_.getMessage).mkString(" / ")
  }

  /** A token as it is, without a sign-in. */
  protected def fixed(token: String): TokenCredential = (_: TokenRequestContext) =>
    reactor.core.publisher.Mono.just(new AccessToken(token, OffsetDateTime.now.plusHours(1)))
}
