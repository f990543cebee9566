package benchmarks.server

import java.io.{File, IOException}
import java.net.{InetAddress, ServerSocket}
import java.nio.file.{Files, Path}
import java.util.Properties
import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters._

import org.apache.kafka.clients.admin._
import org.apache.kafka.common.{TopicPartition, Uuid}

/**
 * A Kafka broker and its controller in one process, with default settings and a temporary folder.
 *
 * @param cloud what the profile `cloud` adds: SASL_SSL behind a proxy, as Event Hubs' own Kafka endpoint has it
 */
final class KafkaProcess(cloud: Option[Cloud] = None) extends Server {

  private val folder = Files.createTempDirectory("kafka")
  private val ports = KafkaProcess.freePorts(3)

  override val proxy: Option[DelayProxyProcess] =
    cloud.map(cloud => new DelayProxyProcess(ports(2), cloud.delayMillis))

  override val address: String = s"127.0.0.1:${ports.head}"

  override def clientAddress: String =
    proxy.fold(address)(proxy => s"${KafkaListeners.Secured}://127.0.0.1:${proxy.port}")

  private val jvm = {
    val settings = folder.resolve("server.properties")
    val secured =
      for (cloud <- cloud; proxy <- proxy) yield KafkaListeners.secured(ports, proxy.port, cloud.certificate)
    val listeners = secured.getOrElse(KafkaListeners.plain(ports))
    Files.writeString(settings, KafkaProcess.settings(folder, ports) + listeners)
    val classPath = sys.props.getOrElse(
      "broker.classpath",
      throw new IllegalStateException("broker.classpath is not set; start this program with ./sbt or make bench")
    )
    new ProcessBuilder(
      Path.of(sys.props("java.home"), "bin", "java").toString,
      "-Xmx2g",
      "-cp",
      s"${KafkaProcess.ownClasses}${File.pathSeparator}$classPath",
      "benchmarks.server.BrokerMain",
      settings.toString,
      Uuid.randomUuid().toString
    ).redirectOutput(folder.resolve("out.log").toFile).redirectError(folder.resolve("error.log").toFile).start()
  }

  override def process: ProcessHandle = jvm.toHandle

  private val admin = {
    val properties = new Properties
    properties.put("bootstrap.servers", address)
    Admin.create(properties)
  }

  try admin.describeCluster().nodes.get(60, TimeUnit.SECONDS)
  catch {
    case failure: Exception =>
      val errors = Files.readString(folder.resolve("error.log")).linesIterator.toSeq.takeRight(20).mkString("\n")
      close()
      throw new IllegalStateException(s"the Kafka broker did not start within 60 s\n$errors", failure)
  }

  override def create(topic: String, partitions: Int): Unit = {
    admin.createTopics(Seq(new NewTopic(topic, partitions, 1.toShort)).asJava).all.get(30, TimeUnit.SECONDS)
    ()
  }

  /** A topic whose records have the time at which the broker stored them. */
  def createStampedByBroker(topic: String, partitions: Int): Unit = {
    val stamped =
      new NewTopic(topic, partitions, 1.toShort).configs(Map("message.timestamp.type" -> "LogAppendTime").asJava)
    admin.createTopics(Seq(stamped).asJava).all.get(30, TimeUnit.SECONDS)
    ()
  }

  override def delete(topic: String): Unit = {
    admin.deleteTopics(Seq(topic).asJava).all.get(30, TimeUnit.SECONDS)
    ()
  }

  override def empty(topic: String): Unit = {
    val ends = endsOf(topic).map { case (partition, end) => partition -> RecordsToDelete.beforeOffset(end) }
    admin.deleteRecords(ends.asJava).all.get(30, TimeUnit.SECONDS)
    ()
  }

  override def stored(topic: String): Seq[Long] = endsOf(topic).toSeq.sortBy(_._1.partition).map(_._2)

  override def close(): Unit = {
    proxy.foreach(_.close())
    admin.close()
    jvm.destroy()
    jvm.waitFor(20, TimeUnit.SECONDS)
    KafkaProcess.deleteFolder(folder)
  }

  private def endsOf(topic: String): Map[TopicPartition, Long] = {
    val partitions = admin.describeTopics(Seq(topic).asJava).allTopicNames.get(30, TimeUnit.SECONDS)
      .get(topic).partitions.asScala.map(info => new TopicPartition(topic, info.partition))
    val latest = partitions.map(_ -> OffsetSpec.latest()).toMap
    admin.listOffsets(latest.asJava).all.get(30, TimeUnit.SECONDS).asScala.toMap.map { case (partition, result) =>
      partition -> result.offset
    }
  }
}

object KafkaProcess {

  private def settings(folder: Path, ports: Seq[Int]): String =
    s"""process.roles=broker,controller
       |node.id=1
       |controller.quorum.voters=1@127.0.0.1:${ports(1)}
       |controller.listener.names=CONTROLLER
       |log.dirs=${folder.resolve("logs")}
       |offsets.topic.replication.factor=1
       |transaction.state.log.replication.factor=1
       |transaction.state.log.min.isr=1
       |""".stripMargin

  /** The folder or jar of this class. */
  private def ownClasses: String = Path.of(getClass.getProtectionDomain.getCodeSource.getLocation.toURI).toString

  /** The controller's port must be known before the broker starts, so the broker cannot choose one. */
  private def freePorts(count: Int): Seq[Int] = {
    val sockets = Seq.fill(count)(new ServerSocket(0, 1, InetAddress.getLoopbackAddress))
    try sockets.map(_.getLocalPort)
    finally sockets.foreach(_.close())
  }

  private def deleteFolder(folder: Path): Unit = {
    val files = Files.walk(folder)
    try files.iterator.asScala.toSeq.reverse.foreach { file =>
        // Kafka may still be deleting files of a topic.
        try Files.deleteIfExists(file)
        catch { case _: IOException => () }
      }
    finally files.close()
  }
}
