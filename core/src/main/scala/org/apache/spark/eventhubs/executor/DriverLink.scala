package org.apache.spark.eventhubs.executor

import java.time.Instant

import scala.util.control.NonFatal

import org.apache.spark.eventhubs.EventHubName
import org.apache.spark.eventhubs.generation.HubGeneration
import org.apache.spark.eventhubs.receive.Proof
import org.apache.spark.eventhubs.service.Known
import org.apache.spark.internal.Logging
import org.apache.spark.rpc.{RpcEndpointRef, RpcEnv, ThreadSafeRpcEndpoint}
import org.apache.spark.util.{Clock, RpcUtils}
import org.apache.spark.{SparkContext, SparkEnv}

/**
 * Brings proofs from the executors to the driver: through Spark's RPC, or directly where tasks run in the driver. They
 * are dropped where the driver has no endpoint. Then it asks the service.
 *
 * @param known what the driver knows of hubs
 */
private[spark] final class DriverLink(known: => KnownHubs, clock: Clock) extends Logging {

  import DriverLink._

  /** The driver of these RPCs, or when it was not found. */
  private var driver = Option.empty[(RpcEnv, Either[Long, RpcEndpointRef])]
  private var listening = Option.empty[RpcEnv]

  /** Proofs of executors count from now on. Called on the driver, as often as it likes. */
  def listen(env: SparkEnv): Unit = synchronized {
    if (!listening.exists(_ eq env.rpcEnv)) {
      listening = Some(env.rpcEnv)
      // Another copy of this jar has the name, until the application ends.
      try { val _ = env.rpcEnv.setupEndpoint(Name, new Endpoint(env.rpcEnv)) }
      catch {
        case NonFatal(failed) =>
          logWarning("Executors cannot announce events to this driver, which asks the service instead", failed)
      }
    }
  }

  def send(proofs: Seq[Proof]): Unit = Option(SparkEnv.get).foreach { env =>
    if (env.executorId == SparkContext.DRIVER_IDENTIFIER) received(proofs)
    else
      try driverOf(env).foreach(_.send(message(proofs)))
      catch { case NonFatal(failed) => logDebug("Events could not be announced to the driver", failed) }
  }

  private def received(proofs: Seq[Proof]): Unit =
    proofs.groupBy(proof => (proof.hub, proof.generation)).foreach { case ((hub, generation), ofHub) =>
      // Two queries may have a link to one partition.
      val newestLast = ofHub.sortBy(proof => (proof.epoch.getOrElse(0), proof.next))
      known.prove(hub, generation, newestLast.map(at => at.partition -> Known(at.next, at.epoch)).toMap)
    }

  /** None for a while after it was not found. */
  private def driverOf(env: SparkEnv): Option[RpcEndpointRef] = synchronized {
    val now = clock.getTimeMillis()
    val usable = driver.filter { case (of, found) =>
      (of eq env.rpcEnv) && found.fold(now - _ < RetryMillis, _ => true)
    }
    val current = usable.getOrElse {
      val found =
        try Right(RpcUtils.makeDriverRef(Name, env.conf, env.rpcEnv))
        catch { case NonFatal(_) => Left(now) }
      (env.rpcEnv, found)
    }
    driver = Some(current)
    current._2.toOption
  }

  private final class Endpoint(override val rpcEnv: RpcEnv) extends ThreadSafeRpcEndpoint {
    override def receive: PartialFunction[Any, Unit] = { case message: Seq[_] => received(message.flatMap(proof)) }
  }
}

private[spark] object DriverLink {

  private[executor] val Name = "eventhubs-announcements"

  /** An executor asks for the driver's endpoint again after this time. */
  private val RetryMillis = 60000L

  /** Has classes of Java and Scala alone, because the class loader of the driver's RPC may not know this jar. */
  private[executor] def message(proofs: Seq[Proof]): Seq[(String, String, Instant, Int, Option[Int], Long)] =
    proofs.map(proof =>
      (proof.hub.namespace, proof.hub.name, proof.generation.time, proof.partition, proof.epoch, proof.next)
    ).toList

  private def proof(told: Any): Option[Proof] = told match {
    case (namespace: String, hub: String, created: Instant, partition: Int, epoch: Option[_], next: Long) =>
      val known = epoch.collect { case number: Int => number }
      Some(Proof(EventHubName(namespace, hub), HubGeneration.CreatedAt(created), partition, known, next))
    case _ => None
  }
}
