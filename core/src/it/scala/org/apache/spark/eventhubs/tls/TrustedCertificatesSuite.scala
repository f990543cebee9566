package org.apache.spark.eventhubs.tls

import java.nio.file.{Files, Path}
import java.time.Duration

import org.scalatest.BeforeAndAfterAll

import localhub.{KeyStoreFile, LocalHub, LocalHubConfig, TlsConfig}
import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.connection.{
  AzureEventHubsClient,
  BasicSignIn,
  ConnectProxy,
  DigestSignIn,
  EndpointProbe,
  EventHubsProducerClient,
  SignInRule
}
import org.apache.spark.eventhubs.options.{ConnectionSettings, ReadMode, ReadSettings, WriteDestination}
import testkit.TestSuite

/** Certificates of a private authority, which this JVM does not trust, over AMQP, WebSockets and a proxy. */
class TrustedCertificatesSuite extends TestSuite with BeforeAndAfterAll {

  private lazy val authority = new PrivateAuthority
  private lazy val hub = started(authority.issue("localhost"))

  override protected def afterAll(): Unit = {
    hub.close()
    authority.close()
    super.afterAll()
  }

  private def started(keys: KeyStoreFile) =
    LocalHub.start(LocalHubConfig(tls = Some(TlsConfig(port = 0, keyStore = Some(keys)))).withHub("telemetry", 2))

  private val webSockets = "eventhubs.transport" -> "amqpWebSockets"
  private def trusted(file: Path = authority.pem) = "eventhubs.tls.trustedCertificates" -> file.toString

  private def settings(of: LocalHub, more: (String, String)*): ConnectionSettings = {
    val string = of.tlsConnectionString.getOrElse(fail("no TLS")) + ";EntityPath=telemetry"
    val options = Map("eventhubs.connectionString" -> string) ++ more
    ReadSettings.parse(options, ReadMode.Stream).connection
  }

  private def partitions(connection: ConnectionSettings): Int = {
    val client = new AzureEventHubsClient(connection)
    try client.hubProperties().partitionIds.size
    finally client.close()
  }

  private def assertWorks(more: (String, String)*): Unit = {
    val connection = settings(hub, trusted() +: more: _*)
    EndpointProbe.check(connection)
    assert(partitions(connection) == 2)
    val producer = EventHubsProducerClient.open(connection)
    try producer.newBatch(WriteDestination.AnyPartition, None).get()
    finally producer.close()
    ()
  }

  test("the option's certificates are trusted over AMQP and over WebSockets") {
    assertWorks()
    assertWorks(webSockets)
  }

  test("the option's certificates are trusted through proxies without a sign-in, with Basic and with Digest") {
    val signIn = Seq("eventhubs.proxy.username" -> "ann", "eventhubs.proxy.password" -> "s3cret")
    Seq[(Option[SignInRule], Seq[(String, String)])](
      None -> Nil,
      Some(BasicSignIn("ann:s3cret")) -> signIn,
      Some(DigestSignIn("ann", "s3cret")) -> (signIn :+ ("eventhubs.proxy.authentication" -> "digest"))
    ).foreach { case (rule, options) =>
      val proxy = new ConnectProxy(rule)
      try assertWorks(webSockets +: ("eventhubs.proxy.address" -> s"127.0.0.1:${proxy.port}") +: options: _*)
      finally proxy.close()
      assert(proxy.tunnels.size >= 3)
    }
  }

  /** After its own attempts, an executor asks why. */
  private def brief(connection: ConnectionSettings) = connection.copy(operationTimeout = Duration.ofSeconds(3))

  private def refusal(run: => Any): String = {
    val refused = intercept[EventHubsException](run)
    assert(refused.getCondition == "EVENTHUBS_CERTIFICATE", refused.getMessage)
    refused.getMessage
  }

  test("an unknown issuer is named at the start of a query, through a proxy too, and after an executor's attempts") {
    val unknown = s"the certificate of localhost:${hub.tlsPort.get} is not accepted: its issuer is unknown to this JVM"
    assert(refusal(EndpointProbe.check(settings(hub))).contains(unknown))
    assert(refusal(EndpointProbe.check(settings(hub, webSockets))).contains(unknown))
    assert(refusal(partitions(brief(settings(hub)))).contains(unknown))
    val proxy = new ConnectProxy()
    try {
      val through = settings(hub, webSockets, "eventhubs.proxy.address" -> s"127.0.0.1:${proxy.port}")
      assert(refusal(EndpointProbe.check(through)).contains(unknown))
      assert(refusal(partitions(brief(through))).contains(unknown))
    } finally proxy.close()
  }

  test("an expired certificate and one for another name are refused with the reason, by the SDK too") {
    val expired = started(authority.issue("localhost", start = "-3d"))
    try {
      assert(refusal(EndpointProbe.check(settings(expired, trusted()))).contains("it has expired (NotAfter: "))
      assert(refusal(partitions(brief(settings(expired, trusted())))).contains("expired"))
    } finally expired.close()
    val other = started(authority.issue("contoso.example"))
    try {
      val said = refusal(EndpointProbe.check(settings(other, trusted())))
      assert(said.contains("it is for another name") && said.contains("localhost"))
      assert(refusal(partitions(brief(settings(other, trusted())))).contains("another name"))
    } finally other.close()
  }

  test("behind a custom endpoint the certificate must be the endpoint's, and not the namespace's") {
    def behind(of: LocalHub) = {
      val all = settings(of, trusted(), "eventhubs.customEndpoint" -> s"localhost:${of.tlsPort.get}")
      all.copy(hub = all.hub.copy(namespace = "contoso.example"), port = None)
    }
    assert(partitions(behind(hub)) == 2)
    val ofNamespace = started(authority.issue("contoso.example"))
    try assert(refusal(EndpointProbe.check(behind(ofNamespace))).contains("another name"))
    finally ofNamespace.close()
  }

  test("a changed file is trusted from the next socket on") {
    val file = Files.createTempFile("trusted", ".pem")
    val another = new PrivateAuthority
    try {
      Files.copy(another.pem, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING)
      refusal(EndpointProbe.check(settings(hub, trusted(file))))
      Files.write(file, Files.readAllBytes(another.pem) ++ Files.readAllBytes(authority.pem))
      assert(partitions(settings(hub, trusted(file))) == 2)
    } finally {
      another.close()
      Files.delete(file)
    }
  }

  test("a file that this host lacks, or that has no certificates, is an invalid option") {
    val empty = Files.createTempFile("empty", ".pem")
    try
      Seq(Path.of("/nowhere/ca.pem") -> "exists on host ", empty -> "PEM file of certificates").foreach {
        case (file, expected) =>
          val refused = intercept[EventHubsException](partitions(settings(hub, trusted(file))))
          assert(refused.getCondition == "EVENTHUBS_INVALID_OPTION")
          assert(refused.getMessage.contains(file.toString) && refused.getMessage.contains(expected))
      }
    finally Files.delete(empty)
  }
}
