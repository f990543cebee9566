package org.apache.spark.eventhubs.send

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

class PartitionKeyHashSuite extends AnyFunSuite {

  /** The SDK's own, which it keeps to itself. */
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

  test("keys go where the SDK's buffered producer sends them") {
    val random = new Random(20240229)
    val lengths = (1 to 60).flatMap(Seq.fill(100)(_)) ++ Seq.fill(50)(128)
    for (length <- lengths; partitions = 1 + random.nextInt(1024)) {
      val key = Seq.fill(length)((32 + random.nextInt(95)).toChar).mkString
      assert(PartitionKeyHash.partitionIndex(key, partitions) == sdk(key, partitions), s"key '$key' of $partitions")
    }
  }

  test("a key that facts about the service mention") {
    assert(PartitionKeyHash.partitionIndex("pk1", 4) == 1)
  }

  test("keys outside ASCII have no answer here") {
    assert(PartitionKeyHash.isKnownFor("sensor-7"))
    assert(!PartitionKeyHash.isKnownFor("Größe"))
  }
}
