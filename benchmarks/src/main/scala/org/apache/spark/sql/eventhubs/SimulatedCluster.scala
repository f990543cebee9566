package org.apache.spark.sql.eventhubs

import org.apache.spark.eventhubs.NameAndPartition
import org.apache.spark.eventhubs.connection.{CountedHub, QuestionQueue, SimulatedExecutor}
import org.apache.spark.sql.eventhubs.placement.StablePlacement

/**
 * The executors of one query, all in this JVM: the connector's own placement, connection pools, receiver caches, checks
 * of the hub's generation and rate limiters, with a hub that only counts.
 *
 * @param cores      of each executor
 * @param partitions of the hub
 */
final class SimulatedCluster(executors: Int, cores: Int, partitions: Int) {

  private val hub = new CountedHub
  private val options = Map(
    "eventhubs.connectionString" ->
      "Endpoint=sb://ns.servicebus.windows.net/;SharedAccessKeyName=n;SharedAccessKey=a2V5;EntityPath=hub",
    "eventhubs.maxConnections" -> (2 * cores).toString
  )

  /** Two micro-batches: the first opens everything, the second shows that it opens nothing more. */
  def run(): ujson.Obj = {
    val names = (0 until executors).map(number => s"executor_host-${number}_$number")
    val all = names.zipWithIndex.map { case (name, seed) =>
      name -> new SimulatedExecutor(hub, options, cores, seed)
    }.toMap
    val placed = StablePlacement.assign((0 until partitions).map(NameAndPartition("hub", _)), names.sorted)
    val assigned = placed.toSeq.groupMap(_._2)(_._1.partitionId)
    def batch(isFirst: Boolean): Unit =
      assigned.foreach { case (name, ids) => all(name).batch(ids.sorted, isFirst) }
    batch(isFirst = true)
    val links = hub.linksOpened
    batch(isFirst = false)
    require(hub.linksOpened == links, "the second micro-batch opened links again")
    val questions = names.map(all(_).questions)
    val (refused, seconds) = new QuestionQueue(SimulatedCluster.AnsweredPerSecond).ask(questions)
    val (toDriver, driverConnections) = (partitions + 1, 1)
    ujson.Obj(
      "executors" -> executors,
      "coresEach" -> cores,
      "partitions" -> partitions,
      "busyExecutors" -> assigned.size,
      "connections" -> (hub.connections + driverConnections),
      "mostConnectionsOfOne" -> all.values.map(_.connections).max,
      "links" -> hub.openLinks,
      "mostLinksOfAPartition" -> hub.mostLinksOf,
      "tokens" -> (hub.openLinks + questions.count(_ > 0) + driverConnections),
      "driverQuestions" -> toDriver,
      "executorQuestions" -> questions.sum,
      "refused" -> refused,
      "secondsUntilAllAnswered" -> math.round(seconds * 10) / 10.0
    )
  }
}

private object SimulatedCluster {

  /** The service's limit for each namespace. */
  private val AnsweredPerSecond = 50
}
