package org.apache.spark.eventhubs.blob

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files

import org.apache.spark.eventhubs.options.ReadSettings
import org.apache.spark.eventhubs.{Credential, EventHubsException, Secret, TestSettings}
import testkit.TestSuite

class BlobContainerSuite extends TestSuite {

  private val url = "https://acc.blob.core.windows.net/checkpoints"
  private val account = "AccountName=acc;AccountKey=c2VjcmV0;EndpointSuffix=core.windows.net"
  private val entra = Credential.DefaultAzure()

  private def settings(options: (String, String)*): ReadSettings =
    TestSettings.stream(options.map { case (key, value) => s"eventhubs.checkpointStore.$key" -> value }: _*)

  private def container(hub: Credential, options: (String, String)*): BlobContainer =
    BlobContainer.of(settings(options: _*).checkpointStore.getOrElse(fail("no store")), hub)

  private def refusal(options: (String, String)*): EventHubsException =
    intercept[EventHubsException](container(TestSettings.stream().connection.credential, options: _*))

  test("a URL with a SAS token signs in with it; the URL is kept without it") {
    val found = container(entra, "container" -> s"$url/?sv=2021&sig=aGlkZGVu%3D")
    assert(found == BlobContainer(url, StorageCredential.SharedAccess(Secret("sv=2021&sig=aGlkZGVu%3D"))))
    assert(!found.toString.contains("aGlkZGVu"))
  }

  test("a URL without a SAS token signs in as for the hub, and refuses the hub's key and plain HTTP") {
    assert(container(entra, "container" -> url).credential == StorageCredential.Entra(entra))
    val key = refusal("container" -> url)
    assert(key.getCondition == "EVENTHUBS_MISSING_OPTION")
    assert(key.getMessageParameters.get("key") == "eventhubs.checkpointStore.connectionString")
    val plain = intercept[EventHubsException](container(entra, "container" -> url.replace("https", "http")))
    assert(plain.getCondition == "EVENTHUBS_INVALID_OPTION")
  }

  test("a connection string needs the container's name, or its URL in the same account") {
    val expected = BlobContainer(url, StorageCredential.AccountKey("acc", Secret("c2VjcmV0")))
    assert(container(entra, "container" -> "checkpoints", "connectionString" -> account) == expected)
    assert(container(entra, "container" -> url, "connectionString" -> account) == expected)
    val other = refusal("container" -> url.replace("acc", "other"), "connectionString" -> account)
    assert(other.getCondition == "EVENTHUBS_CONFLICTING_OPTIONS" && !other.getMessage.contains("c2VjcmV0"))
    val signed = refusal("container" -> s"$url?sig=aGlkZGVu", "connectionString" -> account)
    assert(signed.getCondition == "EVENTHUBS_CONFLICTING_OPTIONS" && !signed.getMessage.contains("aGlkZGVu"))
  }

  test("the emulator is understood by its short name and by its endpoint") {
    val emulator = container(entra, "container" -> "box", "connectionString" -> "UseDevelopmentStorage=true")
    assert(emulator.url == "http://127.0.0.1:10000/devstoreaccount1/box")
    val string = "AccountName=a;AccountKey=c2VjcmV0;BlobEndpoint=http://127.0.0.1:41001/a;"
    val endpoint = container(entra, "container" -> "box", "connectionString" -> string)
    assert(endpoint.url == "http://127.0.0.1:41001/a/box")
    val sas = container(entra, "container" -> "http://127.0.0.1:41001/a/box?sig=x")
    assert(sas.url == "http://127.0.0.1:41001/a/box")
  }

  test("the URL and the connection string may be kept in files, which must exist") {
    def inFile(content: String): String = {
      val file = Files.createTempFile("store", ".txt")
      file.toFile.deleteOnExit()
      s"{file:${Files.write(file, content.getBytes(UTF_8))}}"
    }
    val signed = container(entra, "container" -> inFile(s"$url?sig=aGlkZGVu\n"))
    assert(signed == BlobContainer(url, StorageCredential.SharedAccess(Secret("sig=aGlkZGVu"))))
    val keyed = container(entra, "container" -> "checkpoints", "connectionString" -> inFile(account))
    assert(keyed == BlobContainer(url, StorageCredential.AccountKey("acc", Secret("c2VjcmV0"))))
    val missing = refusal("container" -> "checkpoints", "connectionString" -> "{file:/nowhere/storage}")
    assert(missing.getCondition == "EVENTHUBS_INVALID_OPTION" && missing.getMessage.contains("/nowhere/storage"))
  }

  test("what names no container is refused, and shows no secret") {
    val wrong = Seq(
      Seq("container" -> "checkpoints"),
      Seq("container" -> "https://acc.blob.core.windows.net"),
      Seq("container" -> "https://acc.blob.core.windows.net/a/b/c?sig=aGlkZGVu"),
      Seq("container" -> "No_Container", "connectionString" -> account),
      Seq("container" -> account),
      Seq("container" -> "box", "connectionString" -> "AccountName=acc"),
      Seq(
        "container" -> "box",
        "connectionString" -> "Endpoint=sb://x/;SharedAccessKeyName=a;SharedAccessKey=c2VjcmV0"
      ),
      Seq("container" -> "box", "connectionString" -> s"$account;SharedAccessSignature=sig=aGlkZGVu"),
      Seq("connectionString" -> account)
    )
    wrong.foreach { options =>
      val error = refusal(options: _*)
      assert(Set("EVENTHUBS_MISSING_OPTION", "EVENTHUBS_INVALID_OPTION")(error.getCondition), error.getMessage)
      assert(!error.getMessage.contains("c2VjcmV0") && !error.getMessage.contains("aGlkZGVu"), error.getMessage)
    }
  }

  test("settings show no secret") {
    val shown = settings("container" -> s"$url?sig=aGlkZGVu").toString +
      settings("container" -> "box", "connectionString" -> account).toString
    assert(!shown.contains("aGlkZGVu") && !shown.contains("c2VjcmV0"))
  }
}
