package com.azure.messaging.eventhubs

import java.lang.reflect.{Constructor, Executable, Method, Modifier}
import java.util.Properties

import com.azure.messaging.eventhubs.transport.TransportHandlers

import testkit.TestSuite

/**
 * What the connector uses of the Azure SDK that is no public API. A failure here means that an upgrade of the SDK
 * changed it. Adapt the named class, run the suites that read and write over AMQP, and then change the expectation.
 */
class SdkInternalsSuite extends TestSuite with SdkUpgrade {

  private val Sdk = "com.azure.messaging.eventhubs"
  private val Amqp = "com.azure.core.amqp.implementation"
  private val Proton = "org.apache.qpid.proton"

  // Versions

  private val versions = Seq(
    ("azure-messaging-eventhubs", "/azure-messaging-eventhubs.properties", "5.21.5"),
    ("azure-core-amqp", "/azure-core-amqp.properties", "2.12.0"),
    ("proton-j", "/META-INF/maven/org.apache.qpid/proton-j/pom.properties", "0.34.1")
  )

  versions.foreach { case (module, file, checked) =>
    test(s"$module has the version that this suite was checked with") {
      val stream = classOf[EventHubClientBuilder].getResourceAsStream(file)
      assert(stream ne null, upgrade(s"$module has no $file", "SdkInternalsSuite"))
      val properties = new Properties
      try properties.load(stream)
      finally stream.close()
      val found = properties.getProperty("version")
      assert(
        found == checked,
        upgrade(s"$module is $found and not $checked", "The package com.azure.messaging.eventhubs")
      )
    }
  }

  // Members, by signature

  private def signature(member: Executable): String = {
    val parameters = member.getParameterTypes.map(_.getSimpleName).mkString(", ")
    member match {
      case method: Method => s"${method.getName}($parameters): ${method.getReturnType.getSimpleName}"
      case constructor: Constructor[_] => s"${constructor.getDeclaringClass.getSimpleName}($parameters)"
    }
  }

  private def members(owner: Class[_]): Seq[Executable] =
    owner.getDeclaredConstructors.toSeq ++ owner.getDeclaredMethods.toSeq

  /** User, class, and the signatures that the user calls, overrides or reflects on. */
  private val used: Seq[(String, String, Seq[String])] = Seq(
    (
      "SdkConnection",
      s"$Sdk.ConnectionCacheWrapper",
      Seq(
        "ConnectionCacheWrapper(ReactorConnectionCache)",
        "getConnection(): Mono",
        "getManagementNodeWithRetries(): Mono",
        "getRetryOptions(): AmqpRetryOptions",
        "dispose(): void"
      )
    ),
    (
      "SdkConnection",
      s"$Sdk.EventHubClientBuilder",
      Seq("scheduler(Scheduler): EventHubClientBuilder", "getConnectionOptions(): ConnectionOptions")
    ),
    ("SdkConnection", s"$Sdk.EventHubMessageSerializer", Seq("EventHubMessageSerializer()")),
    (
      "SdkConnection",
      s"$Sdk.implementation.EventHubReactorAmqpConnection",
      Seq(
        "EventHubReactorAmqpConnection(String, ConnectionOptions, String, ReactorProvider, ReactorHandlerProvider, " +
          "AmqpLinkProvider, TokenManagerProvider, MessageSerializer, boolean, boolean)",
        "createSendLink(String, String, AmqpRetryOptions, String): Mono"
      )
    ),
    ("SdkConnection", s"$Amqp.ReactorConnection", Seq("createSession(String): Mono")),
    (
      "SdkConnection",
      s"$Sdk.implementation.EventHubSession",
      Seq(
        "createConsumer(String, String, Duration, AmqpRetryPolicy, EventPosition, ReceiveOptions, String): Mono"
      )
    ),
    ("GuardedReactors", s"$Proton.reactor.Reactor", Seq("process(): boolean")),
    ("GuardedReactors", s"$Proton.engine.HandlerException", Seq("HandlerException(Handler, Throwable)")),
    (
      "SdkConnection",
      s"$Sdk.implementation.EventHubManagementNode",
      Seq("getEventHubProperties(): Mono", "getPartitionProperties(String): Mono")
    ),
    (
      "SdkConnection",
      s"$Amqp.ReactorConnectionCache",
      Seq("ReactorConnectionCache(Supplier, String, String, AmqpRetryPolicy, Map)")
    ),
    (
      "SdkConnection",
      s"$Amqp.RetryUtil",
      Seq(
        "getRetryPolicy(AmqpRetryOptions): AmqpRetryPolicy",
        "withRetry(Mono, AmqpRetryOptions, String, boolean): Mono"
      )
    ),
    (
      "SdkConnection",
      s"$Amqp.AzureTokenManagerProvider",
      Seq("AzureTokenManagerProvider(CbsAuthorizationType, String, String)")
    ),
    (
      "SdkConnection",
      s"$Amqp.AmqpSendLink",
      Seq("send(byte[], int, int, DeliveryState): Mono", "getLinkSize(): Mono")
    ),
    (
      "LinkMessages",
      s"$Amqp.AmqpReceiveLink",
      Seq("receive(): Flux", "addCredit(Supplier): void")
    ),
    (
      "EncodedReceiveHandlers",
      s"$Amqp.ReactorHandlerProvider",
      Seq(
        "ReactorHandlerProvider(ReactorProvider, Meter)",
        "createConnectionHandler(String, ConnectionOptions): ConnectionHandler",
        "createReceiveLinkHandler(String, String, String, String, DeliverySettleMode, boolean, ReactorDispatcher, " +
          "AmqpRetryOptions): ReceiveLinkHandler2"
      )
    ),
    (
      "TransportHandlers",
      s"$Amqp.handler.ConnectionHandler",
      Seq(
        "ConnectionHandler(String, ConnectionOptions, SslPeerDetails, AmqpMetricsProvider)",
        "addTransportLayers(Event, TransportInternal): void",
        "transferState(ConnectionHandler): void"
      )
    ),
    (
      "TransportHandlers",
      s"$Amqp.handler.WebSocketsConnectionHandler",
      Seq("WebSocketsConnectionHandler(String, ConnectionOptions, SslPeerDetails, AmqpMetricsProvider)")
    ),
    (
      "TransportHandlers",
      "com.microsoft.azure.proton.transport.proxy.impl.ProxyImpl",
      Seq(
        "ProxyImpl(ProxyConfiguration)",
        "configure(String, Map, ProxyHandler, Transport): void",
        "transferState(ProxyImpl): void"
      )
    ),
    (
      "EncodedLinkHandler",
      s"$Amqp.handler.ReceiveLinkHandler2",
      Seq(
        "ReceiveLinkHandler2(String, String, String, String, DeliverySettleMode, ReactorDispatcher, AmqpRetryOptions, " +
          "boolean, AmqpMetricsProvider)",
        "getMessages(): Flux",
        "onLinkLocalOpen(Event): void",
        "onDelivery(Event): void",
        "preClose(): Mono",
        "close(): void",
        "onError(Throwable): void"
      )
    ),
    (
      "ZeroCopySendLinks",
      s"$Amqp.AmqpLinkProvider",
      Seq(
        "createSendLink(AmqpConnection, String, Sender, SendLinkHandler, ReactorProvider, TokenManager, " +
          "MessageSerializer, AmqpRetryOptions, Scheduler, AmqpMetricsProvider): AmqpSendLink"
      )
    ),
    (
      "ZeroCopySendLinks",
      s"$Proton.engine.Sender",
      Seq("send(byte[], int, int): int", "sendNoCopy(ReadableBuffer): int")
    ),
    ("EncodedLinkHandler", s"$Proton.engine.Receiver", Seq("recv(): ReadableBuffer")),
    ("EncodedLinkHandler", s"$Proton.engine.Delivery", Seq("isAborted(): boolean", "isPartial(): boolean")),
    (
      "EncodedMessages",
      s"$Proton.engine.Session",
      Seq("setIncomingCapacity(int): void", "getIncomingBytes(): int")
    ),
    (
      "GuardedReactors",
      s"$Amqp.ReactorProvider",
      Seq(
        "createReactor(String, int): Reactor",
        "getReactor(): Reactor",
        "getReactorDispatcher(): ReactorDispatcher"
      )
    ),
    ("AbortableSockets", s"$Amqp.ReactorDispatcher", Seq("invoke(Runnable): void")),
    (
      "AbortableSockets",
      s"$Proton.engine.BaseHandler",
      Seq("onConnectionBound(Event): void", "onSelectableInit(Event): void", "onSelectableFinal(Event): void")
    ),
    (
      "AbortableSockets",
      s"$Proton.reactor.Selectable",
      Seq("getChannel(): SelectableChannel", "getReactor(): Reactor", "terminate(): void")
    ),
    (
      "AbortableSockets",
      s"$Proton.engine.Transport",
      Seq("isClosed(): boolean", "close_tail(): void", "close_head(): void")
    ),
    ("InclusiveOffset", s"$Sdk.models.EventPosition", Seq("fromOffsetString(String, boolean): EventPosition"))
  )

  used.foreach { case (user, owner, signatures) =>
    test(s"$owner has the members that $user uses") {
      val found =
        try members(Class.forName(owner))
        catch { case _: ClassNotFoundException => fail(upgrade(s"there is no class $owner", user)) }
      val usable = found.filterNot(member => Modifier.isPrivate(member.getModifiers) && user != "InclusiveOffset")
      signatures.foreach { wanted =>
        assert(
          usable.map(signature).contains(wanted),
          upgrade(s"$owner no longer has '$wanted' (it has ${usable.map(signature).sorted.mkString("; ")})", user)
        )
      }
    }
  }

  test("the classes that the connector extends can be extended, overridden methods too") {
    val extended = Seq(
      ("EncodedReceiveHandlers", s"$Amqp.ReactorHandlerProvider", "createReceiveLinkHandler"),
      ("EncodedLinkHandler", s"$Amqp.handler.ReceiveLinkHandler2", "onLinkLocalOpen"),
      ("EncodedLinkHandler", s"$Amqp.handler.ReceiveLinkHandler2", "onDelivery"),
      ("EncodedLinkHandler", s"$Amqp.handler.ReceiveLinkHandler2", "getMessages"),
      ("GuardedReactors", s"$Amqp.ReactorProvider", "createReactor"),
      ("ZeroCopySendLinks", s"$Amqp.AmqpLinkProvider", "createSendLink")
    )
    extended.foreach { case (user, name, method) =>
      val owner = Class.forName(name)
      val overridden = owner.getDeclaredMethods.filter(_.getName == method)
      val isOpen = (owner.getModifiers +: overridden.map(_.getModifiers)).forall(!Modifier.isFinal(_))
      assert(isOpen && overridden.nonEmpty, upgrade(s"$name or its method $method is final or gone", user))
    }
  }

  // Values

  private def constant(owner: String, name: String): Any = {
    val field =
      try Class.forName(owner).getDeclaredField(name)
      catch { case _: NoSuchFieldException => fail(upgrade(s"$owner has no field $name", "SdkConnection")) }
    field.setAccessible(true)
    field.get(null)
  }

  private val values = Seq[(String, String, String, Any)](
    (
      "EncodedReceiveHandlers",
      s"$Sdk.EventHubConsumerAsyncClient",
      "RECEIVER_ENTITY_PATH_FORMAT",
      "%s/ConsumerGroups/%s/Partitions/%s"
    ),
    ("SdkConnection", s"$Sdk.EventHubProducerAsyncClient", "SENDER_ENTITY_PATH_FORMAT", "%s/Partitions/%s"),
    ("SdkConnection", s"$Amqp.AmqpConstants", "AMQP_BATCH_MESSAGE_FORMAT", 0x80013700),
    ("SdkConnection", s"$Sdk.implementation.ClientConstants", "MAX_MESSAGE_LENGTH_BYTES", 256 * 1024),
    ("SdkConnection", s"$Sdk.implementation.ClientConstants", "ENTITY_PATH_KEY", "entityPath"),
    ("TransportHandlers", s"$Amqp.handler.WebSocketsConnectionHandler", "SOCKET_PATH", TransportHandlers.SocketPath),
    ("TransportHandlers", s"$Amqp.handler.WebSocketsConnectionHandler", "PROTOCOL", TransportHandlers.Protocol)
  )

  values.foreach { case (user, owner, name, expected) =>
    test(s"$owner.$name is the value that $user repeats") {
      val found = constant(owner, name)
      assert(found == expected, upgrade(s"$owner.$name is '$found' and not '$expected'", user))
    }
  }

  test("the limit on the size of frames is a field of proton-j's transport that can be changed") {
    val transport = Class.forName(s"$Proton.engine.impl.TransportImpl")
    val field =
      try transport.getDeclaredField("_maxFrameSize")
      catch { case _: NoSuchFieldException => fail(upgrade(s"$transport has no _maxFrameSize", "SmallFrames")) }
    assert(
      field.getType == Integer.TYPE && !Modifier.isFinal(field.getModifiers),
      upgrade(s"_maxFrameSize is $field", "SmallFrames")
    )
  }

  test("a position at an offset can include the event at that offset") {
    val position =
      try InclusiveOffset("4711")
      catch {
        case failed: ReflectiveOperationException => fail(upgrade(failed.toString, "InclusiveOffset"), failed)
      }
    assert(
      position.isInclusive && position.getOffset == "4711",
      upgrade(s"EventPosition.fromOffsetString gives $position", "InclusiveOffset")
    )
  }
}
