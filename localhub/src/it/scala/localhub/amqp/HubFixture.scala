package localhub.amqp

import java.time.{Clock, Duration}
import java.util.concurrent.{ConcurrentLinkedQueue, LinkedBlockingQueue, TimeUnit}

import scala.jdk.CollectionConverters._

import com.azure.core.amqp.AmqpRetryOptions
import com.azure.core.amqp.exception.AmqpException
import com.azure.messaging.eventhubs._
import com.azure.messaging.eventhubs.models._
import org.scalatest.{BeforeAndAfterEach, Suite}
import reactor.core.Disposable

import localhub.auth.SharedAccessPolicy
import localhub.namespace.Namespace

/** A server per test on a free port, and clients of the official SDK that are closed after the test. */
trait HubFixture extends BeforeAndAfterEach { this: Suite =>

  protected val clock: Clock = Clock.systemUTC()
  protected def policies: Seq[SharedAccessPolicy] = Seq(SharedAccessPolicy.Root)
  protected val testTimeout: Duration = Duration.ofMinutes(1)

  private var running = Option.empty[AmqpServer]
  private val closeables = new ConcurrentLinkedQueue[AutoCloseable]

  protected def server: AmqpServer = running.getOrElse(throw new AssertionError("no server is running"))
  protected def namespace: Namespace = server.namespace

  protected def newServer(namespace: Namespace): AmqpServer = new AmqpServer(namespace, policies, "127.0.0.1", 0, clock)

  override protected def beforeEach(): Unit = {
    super.beforeEach()
    val namespace = Namespace.inMemory(clock)
    namespace.create("hub1", 4, Set("cg1"))
    running = Some(newServer(namespace))
  }

  override protected def afterEach(): Unit = {
    closeClients()
    running.foreach(_.close())
    running = None
    super.afterEach()
  }

  /** Closes all clients now. */
  protected def closeClients(): Unit = {
    closeables.asScala.foreach(_.close())
    closeables.clear()
  }

  protected def closing[T <: AutoCloseable](resource: T): T = {
    closeables.add(resource)
    resource
  }

  protected def connectionString(
      hub: String = "hub1",
      policy: String = SharedAccessPolicy.Root.name,
      key: String = SharedAccessPolicy.Root.key
  ): String =
    s"Endpoint=sb://localhost:${server.port};SharedAccessKeyName=$policy;SharedAccessKey=$key;" +
      s"UseDevelopmentEmulator=true;EntityPath=$hub"

  protected def builder(connection: String = connectionString(), group: String = "$Default"): EventHubClientBuilder =
    new EventHubClientBuilder()
      .connectionString(connection)
      .consumerGroup(group)
      .retryOptions(new AmqpRetryOptions().setMaxRetries(0).setTryTimeout(testTimeout))

  protected def producer(connection: String = connectionString()): EventHubProducerClient =
    closing(builder(connection).buildProducerClient())

  protected def consumer(
      connection: String = connectionString(),
      group: String = "$Default"
  ): EventHubConsumerAsyncClient =
    closing(builder(connection, group).buildAsyncConsumerClient())

  /** Sends bodies to one partition in one batch. */
  protected def send(partition: String, bodies: String*): Unit = {
    val client = producer()
    client.send(bodies.map(new EventData(_)).asJava, new SendOptions().setPartitionId(partition))
  }

  protected def read(
      partition: String,
      count: Int,
      from: EventPosition = EventPosition.earliest(),
      client: EventHubConsumerAsyncClient = consumer()
  ): Seq[PartitionEvent] = {
    val subscription = subscribe(client, partition, from)
    Seq.fill(count)(subscription.next())
  }

  protected def subscribe(
      client: EventHubConsumerAsyncClient,
      partition: String,
      from: EventPosition = EventPosition.earliest(),
      options: ReceiveOptions = new ReceiveOptions()
  ): Subscription = {
    val subscription = new Subscription(testTimeout)
    subscription.attach(
      client
        .receiveFromPartition(partition, from, options)
        .subscribe(
          (event: PartitionEvent) => subscription.received.put(Right(event)),
          (error: Throwable) => subscription.received.put(Left(Some(error))),
          () => subscription.received.put(Left(None))
        )
    )
    closing(subscription)
  }

  /** The SDK's AmqpException among the causes of the failure. */
  protected def amqpFailure(action: => Any): AmqpException = {
    val thrown =
      try { action; None }
      catch { case e: Throwable => Some(e) }
    Iterator.iterate(thrown)(_.flatMap(e => Option(e.getCause))).takeWhile(_.nonEmpty).flatten.collectFirst {
      case e: AmqpException => e
    }.getOrElse(throw new AssertionError(s"expected an AmqpException, got $thrown"))
  }
}

/** The results of a subscription: events, and at the end an error or (None) its completion. */
final class Subscription(timeout: Duration) extends AutoCloseable {
  val received = new LinkedBlockingQueue[Either[Option[Throwable], PartitionEvent]]
  private val disposables = new ConcurrentLinkedQueue[Disposable]

  def attach(disposable: Disposable): Unit = { disposables.add(disposable); () }

  override def close(): Unit = disposables.forEach(_.dispose())

  def next(): PartitionEvent = take() match {
    case Right(event) => event
    case Left(Some(error)) => throw new AssertionError("the subscription failed instead of delivering an event", error)
    case Left(None) => throw new AssertionError("the subscription completed instead of delivering an event")
  }

  /** None when the subscription has completed or failed. */
  def tryNext(): Option[PartitionEvent] = take().toOption

  def isCompleted(): Boolean = take() == Left(None)

  def error(): Throwable = take() match {
    case Left(Some(error)) => error
    case other => throw new AssertionError(s"expected an error, got $other")
  }

  private def take(): Either[Option[Throwable], PartitionEvent] =
    Option(received.poll(timeout.toMillis, TimeUnit.MILLISECONDS))
      .getOrElse(throw new AssertionError(s"nothing was received within $timeout"))
}
