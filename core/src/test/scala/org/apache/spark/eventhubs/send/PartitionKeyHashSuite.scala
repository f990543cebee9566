package org.apache.spark.eventhubs.send

import scala.util.Random

import testkit.TestSuite

class PartitionKeyHashSuite extends TestSuite {

  /** The SDK's own function, which is package-private. */
  private val sdk = {
    val resolver = Class.forName("com.azure.messaging.eventhubs.PartitionResolver").getDeclaredConstructor()
    resolver.setAccessible(true)
    val assign = resolver.getDeclaringClass
      .getDeclaredMethod("assignForPartitionKey", classOf[String], classOf[Array[String]])
    assign.setAccessible(true)
    val instance = resolver.newInstance()
    (key: String, partitions: Int) =>
      assign.invoke(instance, key, Array.tabulate(partitions)(_.toString)).toString.toInt
  }

  test("a key gets the partition that the SDK's buffered producer chooses") {
    val random = new Random(20240229)
    val lengths = (1 to 60).flatMap(Seq.fill(100)(_)) ++ Seq.fill(50)(128)
    for (length <- lengths; partitions = 1 + random.nextInt(1024)) {
      val key = Seq.fill(length)((32 + random.nextInt(95)).toChar).mkString
      assert(PartitionKeyHash.partitionIndex(key, partitions) == sdk(key, partitions), s"key '$key' of $partitions")
    }
  }

  test("a key with a known partition gets that partition") {
    assert(PartitionKeyHash.partitionIndex("pk1", 4) == 1)
  }

  test("keys outside ASCII are not hashed") {
    assert(PartitionKeyHash.isKnownFor("sensor-7"))
    assert(!PartitionKeyHash.isKnownFor("Größe"))
  }
}
