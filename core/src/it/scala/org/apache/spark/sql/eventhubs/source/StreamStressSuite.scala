package org.apache.spark.sql.eventhubs.source

import scala.util.Random

import testkit.{LongTest, TestSuite}

@LongTest
class V1StreamStressSuite extends StreamStressBehaviour(ApiVersion.V1)

class V2StreamStressSuite extends StreamStressBehaviour(ApiVersion.V2)

/** Hubs that change at random under a running query. The seed is in the test's name, so that a run can be repeated. */
abstract class StreamStressBehaviour(override protected val api: ApiVersion) extends TestSuite with StreamFixture {

  private val limits = Seq("maxEventsPerTrigger" -> "97", "eventhubs.maxEventsPerTask" -> "11")

  for (seed <- 1 to 2)
    test(s"events to several partitions, and partitions added at random: each event once, seed $seed") {
      val random = new Random(seed)
      val name = newHub(2)
      running(stream(name, limits :+ earliest: _*)) { query =>
        var partitions = 2
        for (_ <- 1 to 25) {
          if (partitions < 8 && random.nextInt(4) == 0) {
            partitions += 1 + random.nextInt(2)
            grow(name, partitions)
          }
          send(name, Seq.fill(partitions)(if (random.nextBoolean()) random.nextInt(40) else 0): _*)
          if (random.nextInt(3) == 0) query.catchUp()
        }
        val counts = hub(name).partitions.map(_.bounds.lastSequenceNumber.toInt + 1)
        assertSame(query.catchUp(), firstEvents(counts: _*))
        assert(partitions > 2 && query.metrics("lostEvents") == "0")
      }
    }

  test("events to the hubs of a list, and partitions added at random: each event of each hub once") {
    val random = new Random(3)
    val names = Seq(newHub(1), newHub(2), newHub(1))
    val partitions = Array(1, 2, 1)
    running(stream(names.head, limits ++ Seq(earliest, "eventhubs.name" -> names.mkString(",")): _*)) { query =>
      for (_ <- 1 to 25) {
        val chosen = random.nextInt(names.size)
        if (partitions(chosen) < 4 && random.nextInt(4) == 0) {
          partitions(chosen) += 1
          grow(names(chosen), partitions(chosen))
        }
        send(names(chosen), Seq.fill(partitions(chosen))(random.nextInt(40)): _*)
        if (random.nextInt(3) == 0) query.catchUp()
      }
      val expected = names.flatMap { name =>
        firstEvents(hub(name).partitions.map(_.bounds.lastSequenceNumber.toInt + 1): _*)
      }
      assertSame(query.catchUp(), expected)
      assert(query.metrics("lostEvents") == "0" && query.sizes.max <= 97 + partitions.sum)
    }
  }

  for (seed <- 1 to 2)
    test(
      s"events that expire at random, tolerated: none arrives twice, and each missing one is counted, seed $seed"
    ) {
      val random = new Random(seed)
      val name = newHub(3)
      // A receiver still delivers prefetched events, so a small prefetch lets more events expire.
      val hasty = Seq(earliest, lenient, "eventhubs.prefetchCount" -> "10")
      running(stream(name, limits ++ hasty: _*)) { query =>
        // From the first read of a partition on, an unread event that expires is lost. Before, the query starts after
        // it.
        send(name, 1, 1, 1)
        query.catchUp()
        for (_ <- 1 to 40) {
          send(name, Seq.fill(3)(random.nextInt(120)): _*)
          for (partition <- 0 until 3 if random.nextInt(3) == 0) {
            val bounds = hub(name).partitions(partition).bounds
            val retained = (bounds.lastSequenceNumber + 1 - bounds.beginSequenceNumber).toInt
            if (retained > 0) expire(name, partition, bounds.beginSequenceNumber + random.nextInt(retained + 1))
          }
          if (random.nextInt(8) == 0) query.catchUp()
        }
        val read = query.catchUp()
        val all = firstEvents(hub(name).partitions.map(_.bounds.lastSequenceNumber.toInt + 1): _*)
        assert(read.diff(read.distinct).isEmpty, "an event came twice")
        assert(read.toSet.subsetOf(all.toSet))
        val missing = all.size - read.size
        assert(missing > 0, "nothing expired before it was read: the test shows nothing")
        assert(query.metrics("lostEvents").toLong == missing)
        info(s"${all.size} events, of which $missing were lost, in ${query.query.lastProgress.batchId + 1} batches")
      }
    }
}
