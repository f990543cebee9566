package benchmarks.scale

import java.nio.file.{Files, Path}

import org.apache.spark.sql.eventhubs.SimulatedCluster

/**
 * What the executors of a query open and ask, simulated with the connector's own code. Writes `cluster.json`.
 *
 * Arguments: the output folder, and clusters as `executors,cores,partitions`. Defaults: benchmarks/results, and
 * clusters of 10, 50 and 200 executors.
 */
object ClusterScale {

  private val Clusters = Seq("10,4,32", "200,4,32", "50,4,1024", "200,4,1024", "200,16,1024", "200,4,100")

  def main(args: Array[String]): Unit = {
    val folder = Files.createDirectories(Path.of(args.headOption.getOrElse("benchmarks/results")))
    val clusters = if (args.length > 1) args.tail.toSeq else Clusters
    val cases = clusters.map { text =>
      val found = text.split(',').toSeq.map(_.toInt) match {
        case Seq(executors, cores, partitions) => new SimulatedCluster(executors, cores, partitions).run()
        case _ => throw new IllegalArgumentException(s"'$text' is not executors,cores,partitions")
      }
      println(found)
      found
    }
    Files.writeString(folder.resolve("cluster.json"), ujson.write(ujson.Obj("cases" -> cases), indent = 2) + "\n")
    ()
  }
}
