package org.apache.spark.eventhubs.checkpoints

import java.time.Instant

import org.apache.spark.eventhubs.blob.{BlobContent, BlobStore, StoredBlob, WriteCondition, WriteOutcome}
import org.apache.spark.eventhubs.{EventHubName, EventHubsException}
import testkit.TestSuite

/** Which blobs are a query's. StartFromStoreSuite has a real store. */
class StoredCheckpointsSuite extends TestSuite {

  private val names = new CheckpointNames(EventHubName("contoso.servicebus.windows.net", "orders"), "$Default")

  /** Blobs that all have an EventProcessorHost's JSON, and metadata. Both are torn where the name ends in `torn`. */
  private class Store(blobs: Seq[String], torn: String = "none") extends BlobStore {
    private val json = """{"Offset":"100","SequenceNumber":4,"PartitionId":"0","Owner":"h","Epoch":1}"""
    private def stored(blob: String) = {
      val seqNo = if (blob.endsWith(torn)) "torn" else "7"
      StoredBlob(blob, "1", Map("sequencenumber" -> seqNo, "offset" -> "700"), Instant.EPOCH)
    }
    override def name: String = "https://acc.blob.core.windows.net/box"
    override def list(prefix: String): Seq[StoredBlob] = blobs.filter(_.startsWith(prefix)).map(stored)
    override def read(blob: String): Option[BlobContent] =
      blobs.find(_ == blob).map { found =>
        BlobContent(stored(found), (if (found.endsWith(torn)) json.take(20) else json).getBytes)
      }
    override def setMetadata(blob: String, metadata: Map[String, String], condition: WriteCondition): WriteOutcome =
      WriteOutcome.NoSuchBlob
    override def upload(
        blob: String,
        body: Array[Byte],
        metadata: Map[String, String],
        condition: WriteCondition
    ): WriteOutcome = WriteOutcome.Written("1", Instant.EPOCH)
  }

  test("a blob that names no hub is of a query's only hub, and of none when the query reads several") {
    val store = new Store(Seq("$Default/0"))
    assert(StoredCheckpoints.starts(store, names).values.map(_.seqNo).toSeq == Seq(Some(4L)))
    val refused = intercept[EventHubsException](StoredCheckpoints.starts(store, names, isOnlyHub = false))
    assert(refused.getCondition == "EVENTHUBS_CHECKPOINT_STORE.MALFORMED_BLOB")
    assert(refused.getMessage.contains("'$Default/0'") && refused.getMessage.contains("names no event hub"))
  }

  test("a blob that names no hub is left alone where the partition has a checkpoint of the hub") {
    val store = new Store(Seq("$Default/0", "contoso.servicebus.windows.net/orders/$default/checkpoint/0"))
    assert(StoredCheckpoints.starts(store, names, isOnlyHub = false).values.map(_.seqNo).toSeq == Seq(Some(7L)))
  }

  test("blobs of the old layouts are left alone where the partition has one of the newest, whatever they contain") {
    val hub = "contoso.servicebus.windows.net/orders/"
    val old = Seq("$Default/0", s"$hub$$Default/0")
    val store = new Store(old :+ s"$hub$$default/checkpoint/0", torn = "$Default/0")
    val found = Seq(true, false).flatMap { isOnlyHub =>
      Seq(
        StoredCheckpoints.starts(store, names, isOnlyHub),
        StoredCheckpoints.ofAllPartitions(store, names, isOnlyHub)
      )
    }
    found.foreach(checkpoints => assert(checkpoints.values.map(_.seqNo).toSeq == Seq(Some(7L))))
    old.foreach { blob =>
      val alone = new Store(Seq(blob), torn = "$Default/0")
      intercept[EventHubsException](StoredCheckpoints.ofAllPartitions(alone, names, isOnlyHub = true))
    }
  }

  test("an owner takes a blob that names no hub only for a partition without another one, and when it reads one hub") {
    val newest = "contoso.servicebus.windows.net/orders/$default/checkpoint/0"
    val store = new Store(Seq("$Default/0", "$Default/1", newest))
    def seqNos(isOnlyHub: Boolean): Map[Int, Option[Long]] =
      StoredCheckpoints.ofAllPartitions(store, names, isOnlyHub).map { case (partition, stored) =>
        partition -> stored.seqNo
      }
    assert(seqNos(isOnlyHub = true) == Map(0 -> Some(7L), 1 -> Some(4L)))
    assert(seqNos(isOnlyHub = false) == Map(0 -> Some(7L)))
  }

  test("a malformed blob of a partition that starts elsewhere is left alone") {
    val prefix = "contoso.servicebus.windows.net/orders/$default/checkpoint/"
    val store = new Store(Seq(s"${prefix}0", s"${prefix}1"), torn = "/1")
    assert(intercept[EventHubsException](StoredCheckpoints.starts(store, names)).getMessage.contains("'torn'"))
    assert(StoredCheckpoints.starts(store, names, wanted = (partition: Int) => partition == 0).keySet == Set(0))
  }
}
