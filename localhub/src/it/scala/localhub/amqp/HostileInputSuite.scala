package localhub.amqp

import java.io.IOException
import java.net.{InetSocketAddress, Socket}
import java.nio.ByteBuffer
import java.util.{HashMap => JHashMap}

import scala.collection.mutable.ArrayBuffer
import scala.util.Random

import org.apache.qpid.proton.amqp.messaging.{Data, Source, Target}
import org.apache.qpid.proton.amqp.transport._
import org.apache.qpid.proton.amqp.{Binary, Symbol, UnsignedInteger}
import org.apache.qpid.proton.message.Message

import localhub.amqp.connection.{ConnectionHandler, LoopResources}
import localhub.amqp.server.AmqpLimits
import localhub.namespace.Namespace
import testkit.TestSuite

/** Hostile or broken peers. The server keeps running, its memory is bounded, and other clients are not affected. */
class HostileInputSuite extends TestSuite with HubFixture {

  private val mostConnections = 1100

  override protected def newServer(namespace: Namespace): AmqpServer =
    new AmqpServer(
      namespace,
      policies,
      "127.0.0.1",
      0,
      clock,
      limits =
        AmqpLimits(connections = mostConnections, incompletePerConnection = 4L << 20, incompleteInAll = 16L << 20)
    )

  private val header = "AMQP".getBytes ++ Array[Byte](0, 1, 0, 0)
  private val saslHeader = "AMQP".getBytes ++ Array[Byte](3, 1, 0, 0)
  private def bytes(values: Int*): Array[Byte] = values.map(_.toByte).toArray
  private def client(): FrameClient = closing(new FrameClient(server.port))

  private def message(body: Array[Byte]): Array[Byte] = {
    val message = Message.Factory.create()
    message.setBody(new Data(new Binary(body)))
    val buffer = new Array[Byte](1 << 20)
    java.util.Arrays.copyOf(buffer, message.encode(buffer, 0, buffer.length))
  }

  private def tag(link: String, handle: Int, role: Role, address: String): Attach = {
    val attach = new Attach
    attach.setName(link)
    attach.setHandle(UnsignedInteger.valueOf(handle))
    attach.setRole(role)
    attach.setInitialDeliveryCount(UnsignedInteger.ZERO)
    val source = new Source
    val target = new Target
    if (role == Role.SENDER) target.setAddress(address) else source.setAddress(address)
    val filters = new JHashMap[Symbol, AnyRef]
    filters.put(Symbol.valueOf(FrameClient.SelectorName), FrameClient.selector("amqp.annotation.x-opt-offset > '-1'"))
    if (role == Role.RECEIVER) source.setFilter(filters)
    attach.setSource(source)
    attach.setTarget(target)
    attach
  }

  /** The frames of a correct client. */
  private lazy val conversation: Seq[Array[Byte]] = {
    val frames = new FrameClient(server.port)
    val open = new Open
    open.setContainerId("fuzz")
    val begin = new Begin
    begin.setNextOutgoingId(UnsignedInteger.ZERO)
    begin.setIncomingWindow(UnsignedInteger.valueOf(100))
    begin.setOutgoingWindow(UnsignedInteger.valueOf(100))
    val flow = frames.sessionFlow(100, 0)
    flow.setHandle(UnsignedInteger.ZERO)
    flow.setDeliveryCount(UnsignedInteger.ZERO)
    flow.setLinkCredit(UnsignedInteger.valueOf(100))
    val transfer = new Transfer
    transfer.setHandle(UnsignedInteger.ONE)
    transfer.setDeliveryId(UnsignedInteger.ZERO)
    transfer.setDeliveryTag(new Binary(bytes(1)))
    transfer.setMessageFormat(UnsignedInteger.ZERO)
    val disposition = new Disposition
    disposition.setRole(Role.RECEIVER)
    disposition.setFirst(UnsignedInteger.ZERO)
    disposition.setLast(UnsignedInteger.MAX_VALUE)
    val detach = new Detach
    detach.setHandle(UnsignedInteger.ONE)
    detach.setClosed(true)
    val plain = new org.apache.qpid.proton.amqp.security.SaslInit
    plain.setMechanism(Symbol.valueOf("PLAIN"))
    plain.setInitialResponse(new Binary(s"\u0000${policies.head.name}\u0000${policies.head.key}".getBytes))
    val made = Seq(
      saslHeader,
      frames.frame(0, plain, frameType = 1),
      header,
      frames.frame(0, open),
      frames.frame(0, begin),
      frames.frame(0, tag("reader", 0, Role.RECEIVER, "hub1/ConsumerGroups/$Default/Partitions/0")),
      frames.frame(0, flow),
      frames.frame(0, tag("writer", 1, Role.SENDER, "hub1/Partitions/0")),
      frames.frame(0, transfer, message("good".getBytes)),
      frames.frame(0, tag("cbs", 2, Role.SENDER, "$" + "cbs")),
      frames.frame(0, disposition),
      frames.frame(0, detach),
      frames.frame(0, new End),
      frames.frame(0, new Close)
    )
    frames.close()
    made
  }

  private def mutated(random: Random): Array[Byte] = {
    val pieces = ArrayBuffer.from(conversation)
    random.nextInt(6) match {
      case 0 => pieces.remove(random.nextInt(pieces.length))
      case 1 => pieces.insert(random.nextInt(pieces.length), conversation(random.nextInt(conversation.length)))
      case 2 => pieces(random.nextInt(pieces.length)) = random.nextBytes(random.nextInt(200))
      case _ => ()
    }
    val stream = pieces.toArray.flatten
    // After the handshake, because a damaged one would end the connection early.
    val from = conversation.take(3).map(_.length).sum
    (0 to random.nextInt(4)).foreach(_ =>
      stream(from + random.nextInt(stream.length - from)) = random.nextInt(256).toByte
    )
    if (random.nextInt(4) == 0) stream.take(random.nextInt(stream.length)) else stream
  }

  private def assertServes(): Unit = {
    send("3", "still here")
    val last = namespace.find("hub1").get.partitions(3).bounds.lastSequenceNumber
    assert(read("3", (last + 1).toInt).last.getData.getBodyAsString == "still here")
    assert(server.context.counters.defects.sum == 0)
  }

  test("mutated conversations end at most their connection, in the protocol engine alone") {
    val resources = new LoopResources
    (1 to 4000).foreach { seed =>
      val random = new Random(seed)
      val handler = new ConnectionHandler(server.context, resources, task => task.run(), (_, _) => ())
      val stream = ByteBuffer.wrap(mutated(random))
      while (stream.hasRemaining) {
        val piece = ByteBuffer.allocate(math.min(stream.remaining, 1 + random.nextInt(400)))
        piece.put(stream.slice().limit(piece.capacity)).flip()
        stream.position(stream.position() + piece.capacity)
        handler.receive(piece)
        // Incomplete input is dropped here, which is a further mutation.
        handler.produce(100000)
        assert(resources.output.position < 1000000, s"seed $seed")
        resources.output.clear()
      }
      handler.onDisconnected()
    }
    assert(server.readers.isEmpty && server.context.incompleteBytes.get == 0)
    assertServes()
  }

  test("mutated conversations over sockets leave no state, and other clients are not affected") {
    val good = subscribe(consumer(), "2")
    (1 to 300).foreach { seed =>
      val socket = new Socket("127.0.0.1", server.port)
      try socket.getOutputStream.write(mutated(new Random(seed)))
      catch { case _: IOException => () } // the server may have closed the connection
      socket.close()
      if (seed % 50 == 0) {
        send("2", s"$seed")
        assert(good.next().getData.getBodyAsString == s"$seed")
      }
    }
    good.close()
    closeClients()
    eventually("all connections are closed")(server.counters.openConnections == 0 && server.readers.isEmpty)
    assertServes()
  }

  test("connections with random bytes are closed") {
    (1 to 200).foreach { seed =>
      val socket = new Socket("127.0.0.1", server.port)
      try socket.getOutputStream.write(new Random(seed).nextBytes(1 + seed * 7))
      catch { case _: IOException => () }
      socket.close()
    }
    eventually("all connections are closed")(server.counters.openConnections == 0)
    assertServes()
  }

  test("huge declared sizes and counts are refused and not allocated") {
    val arrayOfNothing = bytes(0xf0, 0, 0, 0, 5, 0x7f, 0xff, 0xff, 0xff, 0x40)
    val listOfNothing = bytes(0xd0, 0, 0, 0, 5, 0x7f, 0xff, 0xff, 0xff, 0x40)
    val mapOfNothing = bytes(0xd1, 0, 0, 0, 5, 0x7f, 0xff, 0xff, 0xfe, 0x40)
    val hugeBinary = bytes(0xb0, 0x7f, 0xff, 0xff, 0xff)
    val hugeString = bytes(0xb1, 0x7f, 0xff, 0xff, 0xff)
    val bombs = Seq(arrayOfNothing, listOfNothing, mapOfNothing, hugeBinary, hugeString)
    bombs.foreach { bomb =>
      val c = client()
      c.sendBytes(header)
      c.readHeader()
      val fields = bytes(0xa1, 1, 'x') ++ bytes(0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40, 0x40) ++ bomb
      val list = bytes(0x00, 0x53, 0x10, 0xc0, fields.length + 1, 10) ++ fields
      c.sendBytes(ByteBuffer.allocate(8 + list.length).putInt(8 + list.length).putInt(0x02000000).put(list).array)
      assert(!c.expect[Close].getError.getDescription.contains("java") && c.isClosedByServer)
    }
    bombs.foreach { bomb =>
      val c = client().open()
      c.attachSender("hub1/Partitions/0")
      c.transfer(0, bytes(0x00, 0x53, 0x72) ++ bomb)
      assert(c.expect[Detach].getError.getCondition.toString == "amqp:decode-error")
      c.attachSender("$" + "cbs", handle = 1, name = "cbs")
      c.transfer(1, bytes(0x00, 0x53, 0x74) ++ bomb, handle = 1)
      assert(Iterator.continually(c.receive()).flatMap(_.body).exists(body =>
        body.isInstanceOf[Detach] || body.isInstanceOf[Close]
      ))
    }
    assertServes()
  }

  test("deep nesting ends a connection, not the server") {
    val nested = Array.fill(60000)(0.toByte)
    val c = client()
    c.sendBytes(header)
    c.readHeader()
    c.sendBytes(ByteBuffer.allocate(8 + nested.length).putInt(8 + nested.length).putInt(0x02000000).put(nested).array)
    assert(c.isClosedByServer)
    val publisher = client().open()
    publisher.attachSender("hub1/Partitions/0")
    publisher.transfer(0, new Array[Byte](60000))
    assert(publisher.expect[Detach].getError.getCondition.toString == "amqp:decode-error")
    assertServes()
  }

  test("a disposition over all delivery ids is cheap") {
    val c = client().open()
    val all = new Disposition
    all.setRole(Role.RECEIVER)
    all.setFirst(UnsignedInteger.ZERO)
    all.setLast(UnsignedInteger.MAX_VALUE)
    all.setSettled(true)
    (1 to 100).foreach(_ => c.send(0, all))
    assert(c.attachSender("hub1").getTarget != null)
  }

  test("incomplete messages are bounded per connection") {
    val c = client().open()
    val refused =
      try {
        (0 until 20).foreach { i =>
          c.attachSender("hub1/Partitions/0", handle = i, name = s"w$i")
          (1 to 8).foreach(_ => c.transfer(i, new Array[Byte](60000), handle = i, more = true))
        }
        false
      } catch { case _: IOException | _: NoSuchElementException => true }
    assert(refused)
    eventually("the incomplete bytes are freed")(server.context.incompleteBytes.get == 0)
    assertServes()
  }

  test("a reader with unlimited credit that reads nothing needs little memory, and others continue") {
    val big = "x" * 100000
    (1 to 30).foreach(_ => send("1", Seq.fill(8)(big): _*))
    val slow = (1 to 5).map { i =>
      val c = client().open()
      c.attachReceiver("hub1/ConsumerGroups/$Default/Partitions/1", name = s"slow$i")
      c.flow(Int.MaxValue, window = Int.MaxValue - 2)
      c
    }
    assert(read("1", 240, client = consumer(group = "cg1")).size == 240)
    // Far fewer events were sent than five readers would have received.
    assert(server.counters.eventsOut < 240 * 6)
    slow.foreach(_.close())
  }

  test("a thousand idle connections do not affect other clients, and those above the limit are closed") {
    def connected(count: Long): Seq[Socket] = (1L to count).map { _ =>
      val socket = closing(new Socket())
      socket.connect(new InetSocketAddress("127.0.0.1", server.port))
      socket.setSoTimeout(testTimeout.toMillis.toInt)
      socket
    }
    val idle = connected(1000)
    idle.foreach(_.getOutputStream.write(saslHeader))
    eventually("all connections are open")(server.counters.openConnections >= 1000)
    assertServes()
    connected(mostConnections - server.counters.openConnections)
    val tooMany = connected(5)
    assert(tooMany.forall(_.getInputStream.read() == -1))
    assert(server.counters.openConnections == mostConnections)
    closeClients()
    eventually("all connections are closed")(server.counters.openConnections == 0)
    assertServes()
  }
}
