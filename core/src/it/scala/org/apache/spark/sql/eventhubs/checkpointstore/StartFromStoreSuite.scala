package org.apache.spark.sql.eventhubs.checkpointstore

import localhub.amqp.fault.{Fault, FaultAction, FaultScope, Occasion}
import org.apache.spark.sql.eventhubs.source.StreamFixture
import testkit.TestSuite

/** Where a query starts that starts from the checkpoints of another processor. */
class StartFromStoreSuite extends TestSuite with StreamFixture with CheckpointStoreFixture {

  override protected lazy val namespace: String = localHub.connectionString("x").split("[/:;]")(3)

  private def options(container: String, more: (String, String)*) = storeOptions(container) ++ (fromStore +: more)

  test("reading continues after the checkpoint; a partition without one starts at the default position") {
    val name = newHub(2)
    val container = newContainer()
    send(name, 10, 10)
    putCheckpoint(container, name, 0, "sequencenumber" -> "6", "offset" -> "600")
    val read = readAvailable(stream(name, options(container): _*)).read
    assertSame(read, events(0, 7, 10) ++ events(1, 0, 10))
    val latest = "eventhubs.checkpointStore.defaultPosition" -> "latest"
    val other = newContainer()
    putCheckpoint(other, name, 0, "sequencenumber" -> "6", "offset" -> "600")
    assertSame(seen(batch(name, options(other, latest): _*)), events(0, 7, 10))
    assertSame(readAvailable(stream(name, options(other, latest): _*)).read, events(0, 7, 10))
  }

  test("the blobs of EventProcessorHost, of Azure Functions and of the SDK for Go are read; the newest layout wins") {
    val name = newHub(4)
    val container = newContainer()
    send(name, 10, 10, 10, 10)
    putJson(container, "$Default/0", """{"Offset":"1","SequenceNumber":2,"PartitionId":"0","Owner":"h","Epoch":1}""")
    putJson(container, "$Default/3", """{"Offset":"1","SequenceNumber":2,"PartitionId":"3","Owner":"h","Epoch":1}""")
    putJson(container, s"$namespace/$name/$$Default/1", """{"Offset":"1","SequenceNumber":5,"PartitionId":"1"}""")
    put(container, s"$namespace/$name/$$Default/checkpoint/2", "sequencenumber" -> "8", "offset" -> "800")
    putCheckpoint(container, name, 3, "sequencenumber" -> "7", "offset" -> "700")
    val read = readAvailable(stream(name, options(container): _*)).read
    assertSame(read, events(0, 3, 10) ++ events(1, 6, 10) ++ events(2, 9, 10) ++ events(3, 8, 10))
  }

  test("an offset alone is enough") {
    val name = newHub(1)
    val container = newContainer()
    send(name, 10)
    val offset = batch(name).where("sequenceNumber = 4").select("offset").head().getString(0)
    putCheckpoint(container, name, 0, "offset" -> offset)
    assertSame(readAvailable(stream(name, options(container): _*)).read, events(0, 5, 10))
  }

  test("a checkpoint beyond the hub's end is data loss, by the user's choice, and names its blob") {
    val name = newHub(1)
    val container = newContainer()
    send(name, 10)
    putCheckpoint(container, name, 0, "sequencenumber" -> "500", "offset" -> "50000")
    // A query asks the service again, for at most half of this time.
    val quick = "eventhubs.operationTimeout" -> "8s"
    val error = failureOf(stream(name, options(container, quick): _*))
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.RECREATED")
    assert(error.getMessage.contains(s"$name/$$default/checkpoint/0") && error.getMessage.contains("500"))
    assertSame(seen(batch(name, options(container, lenient, quick): _*)), events(0, 0, 10))
    assertSame(readAvailable(stream(name, options(container, lenient, quick): _*)).read, events(0, 0, 10))
  }

  test("one answer that ends before the checkpoint is no loss: it is asked again") {
    val name = newHub(1)
    val container = newContainer()
    send(name, 30)
    putCheckpoint(container, name, 0, "sequencenumber" -> "24", "offset" -> "2400")
    val scope = FaultScope(hub = Some(name), partition = Some("0"))
    localHub.faults.inject(Fault(FaultAction.LagBehind(20), Occasion.Manage, scope, count = Some(1)))
    try assertSame(seen(batch(name, options(container): _*)), events(0, 25, 30))
    finally localHub.faults.clear()
  }

  test("a checkpoint whose next event has expired is data loss, by the user's choice") {
    val name = newHub(1)
    val container = newContainer()
    send(name, 10)
    putCheckpoint(container, name, 0, "sequencenumber" -> "2", "offset" -> "200")
    expire(name, 0, before = 6)
    val error = failureOf(stream(name, options(container): _*))
    assert(error.getCondition == "EVENTHUBS_DATA_LOSS.EXPIRED" && error.getMessage.contains("checkpoint/0"))
    assertSame(readAvailable(stream(name, options(container, lenient): _*)).read, events(0, 6, 10))
  }

  test("a torn or foreign blob, and a missing container, are named") {
    val name = newHub(1)
    send(name, 1)
    val torn = newContainer()
    putJson(torn, "$Default/0", """{"Offset":"1","Seq""")
    val foreign = newContainer()
    putCheckpoint(foreign, name, 0, "ownerid" -> "somebody")
    Seq(torn -> "'$Default/0'", foreign -> "checkpoint/0'").foreach { case (container, blob) =>
      val error = failureOf(stream(name, options(container): _*))
      assert(error.getCondition == "EVENTHUBS_CHECKPOINT_STORE.MALFORMED_BLOB", error.getMessage)
      assert(error.getMessage.contains(blob) && error.getMessage.contains(s"$blobEndpoint/$container"))
    }
    val missing = failureOf(stream(name, options("no-such-container"): _*))
    assert(missing.getCondition == "EVENTHUBS_CHECKPOINT_STORE.NOT_FOUND")
  }

  test("the store counts only for the first start; a restart continues from Spark's checkpoint") {
    val name = newHub(1)
    val container = newContainer()
    val checkpoint = newFolder()
    send(name, 5)
    putCheckpoint(container, name, 0, "sequencenumber" -> "1", "offset" -> "100")
    assertSame(readAvailable(stream(name, options(container): _*), checkpoint).read, events(0, 2, 5))
    send(name, 2)
    putCheckpoint(container, name, 0, "sequencenumber" -> "0", "offset" -> "0")
    assertSame(readAvailable(stream(name, options(container): _*), checkpoint).read, events(0, 5, 7))
  }
}
