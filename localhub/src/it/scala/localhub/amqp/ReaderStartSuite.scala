package localhub.amqp

import java.nio.charset.StandardCharsets.UTF_8
import java.util.{List => JList}

import org.apache.qpid.proton.amqp.transport.{Detach, ErrorCondition, Transfer}
import org.apache.qpid.proton.amqp.{Symbol, UnsignedLong}

import localhub.log.{DamagedLog, DelegatingLog, MemoryLog, PartitionLog}
import localhub.namespace.{Namespace, StubHubStorage}
import testkit.TestSuite

/** Errors while a reader attaches. */
class ReaderStartSuite extends TestSuite with HubFixture {

  private val address = "hub1/ConsumerGroups/$Default/Partitions/0"

  private def serving(log: PartitionLog): AmqpServer = serving(new Namespace(clock, new StubHubStorage(_ => log)))

  private def serving(namespace: Namespace): AmqpServer = {
    namespace.create("hub1", 1)
    closing(new AmqpServer(namespace, policies, "127.0.0.1", 0, clock))
  }

  private def connect(server: AmqpServer): FrameClient = closing(new FrameClient(server.port)).open()

  private def attach(client: FrameClient, handle: Int, comparison: String): Unit = {
    client.attachReceiver(address, handle, name = s"reader-$handle", filter = Some(s"amqp.annotation.$comparison"))
    ()
  }

  private def refused(client: FrameClient, handle: Int, comparison: String): ErrorCondition = {
    attach(client, handle, comparison)
    client.expect[Detach].getError
  }

  test("a reader whose start cannot be read is refused and not counted, and the connection stays open") {
    val log = DamagedLog.open(clock)
    val server = serving(log)
    val client = connect(server)
    // More than the readers that a partition and group allows.
    (0 to 5).foreach { handle =>
      val error = refused(client, handle, "x-opt-enqueued-time > '0'")
      assert(error.getCondition.toString == "amqp:internal-error")
      assert(error.getDescription.contains("could not be read") && !error.getDescription.contains("Exception"))
    }
    assert(server.readers.isEmpty)
    attach(client, 6, "x-opt-offset > '@latest'")
    client.flow(1, handle = 6)
    log.append(1, (_, _) => FrameClient.event("new"))
    client.expect[Transfer]
  }

  test("a reader whose hub is deleted while it attaches gets an error") {
    lazy val namespace: Namespace = new Namespace(
      clock,
      new StubHubStorage(_ =>
        new DelegatingLog(new MemoryLog(clock)) {
          override def onAppend(listener: Runnable): AutoCloseable = {
            namespace.delete("hub1")
            super.onAppend(listener)
          }
        }
      )
    )
    val error = refused(connect(serving(namespace)), 0, "x-opt-offset > '-1'")
    assert(error.getCondition.toString == "amqp:not-found" && error.getDescription.contains("was deleted"))
  }

  test("a start after the next event is refused with the service's text") {
    val log = new MemoryLog(clock)
    val client = connect(serving(log))
    log.append(3, (_, _) => FrameClient.event("x"))
    val last = log.bounds.lastOffset
    val wrong = Seq(
      "x-opt-sequence-number >= '4'" -> "sequence number '4' is invalid. The last sequence number in the system is '2'",
      "x-opt-sequence-number > '3'" -> "sequence number '3' is invalid. The last sequence number in the system is '2'",
      s"x-opt-offset > '${last + 1}'" -> s"offset '${last + 1}' is invalid. The last offset in the system is '$last'"
    )
    wrong.zipWithIndex.foreach { case ((comparison, message), handle) =>
      val error = refused(client, handle, comparison)
      assert(error.getCondition.toString == "com.microsoft:argument-error")
      assert(error.getDescription.startsWith(s"The supplied $message TrackingId:"))
    }
    val right = Seq("x-opt-sequence-number >= '3'", "x-opt-sequence-number > '2'", s"x-opt-offset > '$last'")
    right.zipWithIndex.foreach { case (comparison, i) =>
      attach(client, wrong.length + i, comparison)
      client.flow(1, handle = wrong.length + i)
    }
    log.append(1, (_, _) => FrameClient.event("next"))
    right.foreach(_ => client.expect[Transfer])
  }

  private val fromTwo = "amqp.annotation.x-opt-sequence-number >= '2'"

  test("a selector is known by its descriptor, whatever its key") {
    val log = new MemoryLog(clock)
    val client = connect(serving(log))
    (0 to 2).foreach(i => log.append(1, (_, _) => FrameClient.event(s"event $i")))
    val name = Symbol.valueOf(FrameClient.SelectorName)
    val code = UnsignedLong.valueOf(0x0000468c00000004L)
    val filters = Seq(FrameClient.SelectorName -> code, "selector" -> name, "jms-selector" -> code, "any" -> name)
    filters.zipWithIndex.foreach { case ((key, descriptor), handle) =>
      val filter = Map[String, AnyRef](key -> FrameClient.selector(fromTwo, descriptor))
      client.attachReceiver(address, handle, 0, s"reader-$handle", filter)
      client.flow(10, handle = handle, received = handle)
      assert(new String(payload(client), UTF_8).endsWith("event 2"), key)
    }
  }

  private def payload(client: FrameClient): Array[Byte] =
    Iterator.continually(client.receive()).collectFirst { case ReceivedFrame(_, Some(_: Transfer), bytes, _) =>
      bytes
    }.get

  test("a filter that is no selector is refused with the service's text, as are two") {
    val client = connect(serving(new MemoryLog(clock)))
    val types = Seq(
      ("no descriptor", fromTwo, "a value without a descriptor"),
      ("a list", JList.of(fromTwo), "a value without a descriptor"),
      ("another", FrameClient.selector(fromTwo, Symbol.valueOf("a:b")), "a:b"),
      ("no text", FrameClient.selector(JList.of(fromTwo)), FrameClient.SelectorName)
    )
    types.zipWithIndex.foreach { case ((key, filter, found), handle) =>
      client.attachReceiver(address, handle, 0, s"reader-$handle", Map[String, AnyRef](key -> filter))
      val error = client.expect[Detach].getError
      assert(error.getCondition.toString == "amqp:not-allowed")
      assert(
        error.getDescription.startsWith(
          s"The link 'reader-$handle' contains invalid filter type. System only support Jms or Apache selector filter " +
            s"type but we found type '$found' associated with key '$key'."
        )
      )
    }
    val two = Map[String, AnyRef](
      "a" -> FrameClient.selector(fromTwo),
      "b" -> FrameClient.selector("amqp.annotation.x-opt-offset > '-1'")
    )
    client.attachReceiver(address, types.length, 0, "two", two)
    assert(client.expect[Detach].getError.getDescription.startsWith("A reader has one filter, not 2:"))
  }

  test("an entry without a value is no filter") {
    val log = new MemoryLog(clock)
    val client = connect(serving(log))
    client.attachReceiver(address, 0, 0, "reader", Map[String, AnyRef]("empty" -> null))
    client.flow(1)
    log.append(1, (_, _) => FrameClient.event("first"))
    client.expect[Transfer]
  }
}
