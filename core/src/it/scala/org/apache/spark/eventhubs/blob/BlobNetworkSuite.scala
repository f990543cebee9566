package org.apache.spark.eventhubs.blob

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.blob.WriteCondition.{Always, IfAbsent}
import org.apache.spark.eventhubs.connection.{BasicSignIn, ConnectProxy}
import org.apache.spark.eventhubs.options.{ReadMode, ReadSettings}
import org.apache.spark.eventhubs.tls.{PrivateAuthority, TlsFront}
import testkit.TestSuite

/** A store behind a proxy that wants a sign-in, with a certificate that only the option trusts. */
class BlobNetworkSuite extends TestSuite with AzuriteFixture {

  private lazy val authority = new PrivateAuthority
  private lazy val front = new TlsFront(blobEndpoint.split("[:/]")(4).toInt, authority.issue("localhost"))
  private lazy val proxy = new ConnectProxy(Some(BasicSignIn("ann:s3cret")))

  override protected def afterAll(): Unit = {
    proxy.close()
    front.close()
    authority.close()
    super.afterAll()
  }

  private val hub =
    "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=n;SharedAccessKey=a2V5;EntityPath=telemetry"

  private def store(container: String, more: (String, String)*): BlobStore = {
    val account = s"AccountName=${AzuriteFixture.Account};AccountKey=${AzuriteFixture.Key};" +
      s"BlobEndpoint=https://localhost:${front.port}/${AzuriteFixture.Account}"
    val options = Map(
      "eventhubs.connectionString" -> hub,
      "eventhubs.operationTimeout" -> "10s",
      "eventhubs.checkpointStore.container" -> container,
      "eventhubs.checkpointStore.connectionString" -> account
    ) ++ more
    val settings = ReadSettings.parse(options, ReadMode.Stream)
    BlobStore.open(settings.checkpointStore.getOrElse(fail("no store")), settings.connection)
  }

  private def trusted = "eventhubs.tls.trustedCertificates" -> authority.pem.toString
  private def through(password: String) = Seq(
    "eventhubs.transport" -> "amqpWebSockets",
    "eventhubs.proxy.address" -> s"127.0.0.1:${proxy.port}",
    "eventhubs.proxy.username" -> "ann",
    "eventhubs.proxy.password" -> password
  )

  private def use(store: BlobStore): Unit = {
    assert(store.upload(
      "a b/0",
      BlobStore.NoContent,
      Map("ownerid" -> "a"),
      IfAbsent
    ).isInstanceOf[WriteOutcome.Written])
    assert(store.upload("a b/0", BlobStore.NoContent, Map.empty, IfAbsent) == WriteOutcome.ConditionNotMet)
    assert(store.setMetadata("a b/0", Map("ownerid" -> "b"), Always).isInstanceOf[WriteOutcome.Written])
    assert(store.list("a b/").map(_.metadata) == Seq(Map("ownerid" -> "b")))
    assert(store.read("none").isEmpty && store.read("a b/0").exists(_.body.isEmpty))
  }

  test("the store's certificate is trusted by the option, with and without the option's proxy") {
    use(store(newContainer(), trusted))
    assert(proxy.tunnels.isEmpty)
    use(store(newContainer(), trusted +: through("s3cret"): _*))
    assert(proxy.tunnels.distinct == Seq(s"localhost:${front.port}"))
  }

  test("a certificate that is not trusted, and a proxy that refuses, are named") {
    val container = newContainer()
    val untrusted = intercept[EventHubsException](store(container, through("s3cret"): _*).list(""))
    assert(untrusted.getMessage.contains(s"the certificate of localhost:${front.port} is not accepted"))
    val refused = intercept[EventHubsException](store(container, trusted +: through("other"): _*).list(""))
    assert(refused.getMessage.contains(s"127.0.0.1:${proxy.port}") && refused.getMessage.contains("407"))
    Seq(untrusted, refused).foreach { error =>
      assert(error.getCondition == "EVENTHUBS_CHECKPOINT_STORE.UNREACHABLE")
      assert(!error.getMessage.contains("s3cret"))
    }
  }
}
