package org.apache.spark.eventhubs.blob

import java.net.ServerSocket
import java.nio.charset.StandardCharsets.UTF_8
import java.time.{Duration, Instant}

import org.apache.spark.eventhubs.blob.WriteCondition.{Always, IfAbsent, IfUnchanged}
import org.apache.spark.eventhubs.blob.WriteOutcome.{ConditionNotMet, NoSuchBlob, Written}
import org.apache.spark.eventhubs.{EventHubsException, Secret}
import testkit.TestSuite

class AzureBlobStoreSuite extends TestSuite with AzuriteFixture {

  private val timeout = Duration.ofSeconds(20)

  private def written(outcome: WriteOutcome): Written = outcome match {
    case done: Written => done
    case other => fail(s"not written: $other")
  }

  test("a blob without content keeps its metadata, and its name may have a dollar sign, spaces and other alphabets") {
    val store = openStore(newContainer())
    val names = Seq("ns/hub/$default/checkpoint/0", "ns/hub/a b+c&d/checkpoint/1", "ns/hub/gruppe-ü/checkpoint/2")
    val metadata = Map("offset" -> "4294967296", "sequencenumber" -> "42", "ownerid" -> "")
    val before = Instant.now().minusSeconds(60)
    names.foreach(name => written(store.upload(name, BlobStore.NoContent, metadata, Always)))
    val listed = store.list("ns/hub/")
    assert(listed.map(_.name).toSet == names.toSet)
    assert(listed.forall(_.metadata == metadata))
    names.foreach { name =>
      val read = store.read(name).getOrElse(fail(name))
      assert(read.body.isEmpty && read.blob.metadata == metadata && read.blob.lastModified.isAfter(before))
      assert(listed.exists(blob =>
        blob.name == name && blob.etag.stripPrefix("\"").stripSuffix("\"") ==
          read.blob.etag.stripPrefix("\"").stripSuffix("\"")
      ))
    }
  }

  test("a condition decides between two writers") {
    val store = openStore(newContainer())
    val first = written(store.upload("owner", BlobStore.NoContent, Map("ownerid" -> "a"), IfAbsent))
    assert(store.upload("owner", BlobStore.NoContent, Map("ownerid" -> "b"), IfAbsent) == ConditionNotMet)
    val second = written(store.setMetadata("owner", Map("ownerid" -> "b"), IfUnchanged(first.etag)))
    assert(store.setMetadata("owner", Map("ownerid" -> "c"), IfUnchanged(first.etag)) == ConditionNotMet)
    val listed = store.list("owner").head.etag
    assert(written(store.setMetadata("owner", Map("ownerid" -> ""), IfUnchanged(listed))).etag != second.etag)
    assert(store.read("owner").map(_.blob.metadata).contains(Map("ownerid" -> "")))
  }

  test("a missing blob is no error") {
    val store = openStore(newContainer())
    assert(store.read("none").isEmpty && store.list("none").isEmpty)
    assert(store.setMetadata("none", Map("ownerid" -> "a"), Always) == NoSuchBlob)
  }

  test("a content is read back and replaced; one that is too large is refused by name") {
    val store = openStore(newContainer())
    store.upload("group/0", """{"Offset":"1"}""".getBytes(UTF_8), Map.empty, Always)
    store.upload("group/0", """{"Offset":"2"}""".getBytes(UTF_8), Map.empty, Always)
    assert(store.read("group/0").map(content => new String(content.body, UTF_8)).contains("""{"Offset":"2"}"""))
    store.upload("large", new Array[Byte](BlobStore.MaxContentBytes + 1), Map.empty, Always)
    val error = intercept[EventHubsException](store.read("large"))
    assert(error.getCondition == "EVENTHUBS_CHECKPOINT_STORE.MALFORMED_BLOB")
    assert(error.getMessage.contains("'large'"))
  }

  test("a missing container, a wrong key and a silent account have different conditions, without secrets") {
    val missing = intercept[EventHubsException](openStore("no-such-container").list("a/"))
    assert(missing.getCondition == "EVENTHUBS_CHECKPOINT_STORE.NOT_FOUND")
    assert(missing.getMessage.contains(s"$blobEndpoint/no-such-container"))
    val wrong = StorageCredential.AccountKey(AzuriteFixture.Account, Secret("c2VjcmV0"))
    val denied = intercept[EventHubsException] {
      new AzureBlobStore(BlobContainer(s"$blobEndpoint/${newContainer()}", wrong), timeout).list("")
    }
    assert(denied.getCondition == "EVENTHUBS_CHECKPOINT_STORE.AUTHENTICATION")
    val sas = StorageCredential.SharedAccess(Secret("sv=2021-12-02&sig=aGlkZGVu"))
    val port = {
      val socket = new ServerSocket(0);
      try socket.getLocalPort
      finally socket.close()
    }
    val silent = intercept[EventHubsException] {
      new AzureBlobStore(BlobContainer(s"http://127.0.0.1:$port/acc/box", sas), Duration.ofSeconds(2)).read("x")
    }
    assert(silent.getCondition == "EVENTHUBS_CHECKPOINT_STORE.UNREACHABLE")
    Seq(missing, denied, silent).foreach { error =>
      assert(!error.getMessage.contains("c2VjcmV0") && !error.getMessage.contains("aGlkZGVu"), error.getMessage)
    }
  }
}
