package org.apache.spark.sql.eventhubs.cluster

import scala.collection.mutable

import org.apache.spark.SparkEnv
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import testkit.TestSuite

class LocalClusterSuite extends TestSuite with ClusterFixture {

  for (useV1 <- Seq("false", "true"); sharing <- Seq(Nil, Seq("eventhubs.maxPartitions" -> "4"))) {
    val options = sharing :+ ("eventhubs.useV1Source" -> useV1)

    test(s"tasks run where they are planned, batch after batch, on links that stay open; ${options.mkString(", ")}") {
      awaitExecutors(2)
      val hub = newHub(8)
      val executorOf = udf((_: String) => SparkEnv.get.executorId)
      val batches = mutable.Buffer.empty[Map[String, String]]
      val query = stream(hub, options :+ fromStart: _*).writeStream
        .foreachBatch { (frame: DataFrame, _: Long) =>
          val seen = frame.select(col("partition"), executorOf(col("partition"))).collect()
          if (seen.nonEmpty) batches += seen.map(row => row.getString(0) -> row.getString(1)).toMap
          ()
        }
        .option("checkpointLocation", newFolder().toString)
        .start()
      try
        (0 until 4).foreach { round =>
          // Each time another partition has the most events.
          (0 until 8).foreach(partition => fill(hub, partition, 0, if (partition == 2 * round) 4 else 1))
          query.processAllAvailable()
        }
      finally query.stop()
      val places = batches.flatten.toSet
      assert(places.map(_._1) == (0 until 8).map(_.toString).toSet && places.size == 8, "a partition moved")
      assert(places.groupBy(_._2).view.mapValues(_.size).toMap.values.toSeq == Seq(4, 4))
      assert(batches.length > 1)
      assert(query.recentProgress.last.sources.head.metrics.get("linksOpened") == "8")
    }
  }

  test("parts of a divided partition leave no open link, which would count towards the service's limit of five") {
    awaitExecutors(2)
    val hub = newHub(1)
    val divided = Seq(fromStart, "eventhubs.minPartitions" -> "5")
    val read = mutable.Buffer.empty[String]
    val query = stream(hub, divided: _*).writeStream
      .foreachBatch { (frame: DataFrame, _: Long) =>
        read ++= bodiesOf(frame.select("body").collect().toSeq)
        ()
      }
      .option("checkpointLocation", newFolder().toString)
      .start()
    try
      (0 until 4).foreach { round =>
        fill(hub, 0, round * 50, (round + 1) * 50)
        query.processAllAvailable()
        eventually("links stay open")(!localHub.amqp.readers.exists(_.hub == hub))
      }
    finally query.stop()
    assert(read.toSet == names(0, 0, 200) && read.size == 200)
  }
}
