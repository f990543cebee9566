package org.apache.spark.sql.eventhubs.rotation

import java.nio.file.{Files, Path, StandardCopyOption}
import java.time.Duration

import org.scalatest.Suite

import localhub.auth.SharedAccessPolicy
import localhub.authority.{AuthorityRequestKind, LocalAuthority, LocalAuthorityConfig}
import localhub.{LocalHubConfig, ServiceSettings, TlsConfig}
import org.apache.spark.eventhubs.executor.ExecutorResources
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.eventhubs.realtime.{RealTimeFixture, RealTimeRows}
import testkit.HubService

/** A hub with an authority whose tokens live for seconds. A link keeps its permission for three more seconds. */
private[rotation] trait RotationFixture extends RealTimeFixture { this: Suite =>

  protected val tokenLifetime: Duration = Duration.ofSeconds(6)

  /** The first one never changes: with it, the tests fill the hub. */
  protected val policies = new ChangingPolicies(SharedAccessPolicy.Root, ChangingPolicies.pipeline("b2xk"))

  override protected def hubConfig: LocalHubConfig = LocalHubConfig(
    policies = policies,
    tls = Some(TlsConfig()),
    service = ServiceSettings(timeScale = 0.01),
    authority = Some(LocalAuthorityConfig(tokenLifetime = tokenLifetime))
  )

  protected def authority: LocalAuthority = localHub.authority.getOrElse(fail("no authority"))

  private val folder = newFolder()

  private lazy val trusted: Path =
    Files.writeString(folder.resolve("trusted.pem"), authority.certificatePem + localHub.certificatePem.getOrElse(""))

  /** A file whose content is replaced in one step. */
  protected def write(name: String, content: String): String = {
    val next = Files.writeString(folder.resolve(s"$name.next"), content)
    val file = folder.resolve(name)
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING).toString
  }

  /** The options of a hub with this sign-in. */
  protected def signedIn(name: String, auth: Map[String, String], more: (String, String)*): Map[String, String] = Map(
    "eventhubs.namespace" -> "localhost",
    "eventhubs.name" -> name,
    "eventhubs.customEndpoint" -> s"localhost:${localHub.tlsPort.getOrElse(fail("no TLS"))}",
    "eventhubs.tls.trustedCertificates" -> trusted.toString,
    "eventhubs.operationTimeout" -> s"${20 * HubService.current.patience}s"
  ) ++ auth.map { case (key, value) => s"eventhubs.auth.$key" -> value } ++ more

  protected def reading(name: String, auth: Map[String, String], more: (String, String)*): DataFrame =
    spark.readStream.format("eventhubs")
      .options(signedIn(name, auth, more: _*) + fromStart + hasty)
      .load()

  /** So that a test sees at once what a query does not return. */
  protected val hasty: (String, String) = "eventhubs.receiverIdleTimeout" -> "1ms"

  protected def bodiesRead(query: String): Seq[String] = RealTimeRows.of(query).map(_._1)

  /** What `fill` sends to a hub with one partition. */
  protected def events(until: Int): Seq[String] = (0 until until).map(n => s"p0-$n")

  /** How many tokens an application got. */
  protected def tokens(clientId: String): Int = authority.requests.count(request =>
    request.kind == AuthorityRequestKind.Token && request.clientId.contains(clientId) && request.status.contains(200)
  )

  protected def assertNothingStays(): Unit = {
    eventually("a link stays open") {
      ExecutorResources.get.evictIdle()
      localHub.amqp.readers.isEmpty
    }
    eventually("a connection stays open") {
      ExecutorResources.get.clients.evictIdle(0)
      ExecutorResources.get.producers.evictIdle()
      localHub.amqp.counters.openConnections == 0
    }
  }
}
