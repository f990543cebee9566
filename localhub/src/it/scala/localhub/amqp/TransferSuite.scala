package localhub.amqp

import org.apache.qpid.proton.amqp.UnsignedInteger
import org.apache.qpid.proton.amqp.messaging.{Accepted, Rejected}
import org.apache.qpid.proton.amqp.transport._

import localhub.amqp.fault.{Fault, FaultAction, Occasion}
import localhub.amqp.server.AmqpLimits
import testkit.TestSuite

/** Transfers over AMQP 1.0, frame by frame: credit and windows, messages in several frames, refused messages. */
class TransferSuite extends TestSuite with FrameFixture {

  spec("2.6.7", "the server sends no more than the link credit, and a repeated flow adds none") {
    val c = client().open()
    append(0, "a", "b", "c", "d")
    c.attachReceiver(reader)
    c.flow(2)
    assert(Seq(c.receive(), c.receive()).map(f => body(f.payload)) == Seq("a", "b"))
    c.flow(2, deliveryCount = 0, received = 2)
    c.flow(2, deliveryCount = 0, received = 2)
    c.flow(1, deliveryCount = 2, received = 2)
    assert(body(c.receive().payload) == "c")
    c.flow(1, deliveryCount = 3, received = 3, drain = true)
    assert(body(c.receive().payload) == "d")
  }

  spec("2.6.7", "drain: with nothing to send, the credit is returned at once") {
    val c = client().open()
    append(0, "a")
    c.attachReceiver(reader)
    c.flow(10, drain = true)
    assert(body(c.receive().payload) == "a")
    val flow = c.expect[Flow]
    assert(flow.getLinkCredit.intValue == 0 && flow.getDeliveryCount.intValue == 10 && flow.getDrain)
    append(0, "b")
    c.flow(1, deliveryCount = 10, received = 1)
    assert(body(c.receive().payload) == "b")
  }

  spec("2.5.6", "the server sends no more than the session window, and continues after a flow without a link") {
    val c = client().open()
    append(0, "a", "b", "c")
    c.attachReceiver(reader)
    c.flow(10, window = 2)
    assert(Seq(c.receive(), c.receive()).map(f => body(f.payload)) == Seq("a", "b"))
    c.attachReceiver(
      "hub1/ConsumerGroups/$Default/Partitions/3",
      handle = 1,
      name = "other"
    ) // answered before any transfer
    c.send(0, c.sessionFlow(window = 5, received = 2))
    assert(body(c.receive().payload) == "c")
  }

  spec("2.5.6", "events that waited for the session window when their link was detached stop no later link") {
    val c = client().open()
    append(0, "a", "b", "c")
    c.attachReceiver(reader)
    c.flow(10, window = 1)
    assert(body(c.receive().payload) == "a")
    detach(c)
    c.expect[Detach]
    c.attachReceiver(reader, handle = 1, name = "next")
    c.flow(10, handle = 1, received = 1)
    assert(Seq.fill(3)(body(c.receive().payload)) == Seq("a", "b", "c"))
  }

  spec("2.6.6", "a link ends at once, also when its events wait for the session window") {
    val c = client().open()
    append(0, "a", "b", "c")
    c.attachReceiver(reader)
    c.flow(10, window = 1)
    assert(body(c.receive().payload) == "a")
    namespace.delete("hub1")
    assert(condition(c.expect[Detach].getError) == "amqp:not-found")
  }

  spec("2.4.3", "a close is answered, also when events wait for the session window") {
    val c = client().open()
    append(0, "a", "b", "c")
    c.attachReceiver(reader)
    c.flow(10, window = 1)
    assert(body(c.receive().payload) == "a")
    c.send(0, new Close)
    c.expect[Close]
  }

  spec("2.5.5", "an end is answered, also when events wait for the session window") {
    val c = client().open()
    append(0, "a", "b", "c")
    c.attachReceiver(reader)
    c.flow(10, window = 1)
    assert(body(c.receive().payload) == "a")
    c.send(0, new End)
    c.expect[End]
  }

  spec("2.3.1", "frames are never larger than the peer's limit; a large event is split") {
    val c = client().open(configure = FrameClient.maxFrame(512))
    val large = "x" * 5000
    append(0, large)
    c.attachReceiver(reader)
    c.flow(1, window = 100)
    val frames = Iterator.continually(c.receive()).takeWhile(_.body.exists(_.asInstanceOf[Transfer].getMore)).toSeq
    assert(frames.nonEmpty && frames.forall(_.raw.length + 8 <= 512))
  }

  spec("2.6.14", "a large event may arrive in many small frames") {
    val c = client().open()
    c.attachSender("hub1/Partitions/0")
    val bytes = message("y" * 3000)
    bytes.grouped(100).toSeq.zipWithIndex.foreach { case (part, i) =>
      c.transfer(0, part, more = (i + 1) * 100 < bytes.length)
    }
    val disposition = c.expect[Disposition]
    assert(disposition.getSettled && disposition.getState.isInstanceOf[Accepted])
    assert(read("0", 1).head.getData.getBodyAsString == "y" * 3000)
  }

  private def sendInFrames(c: FrameClient, id: Int, bytes: Array[Byte]): Unit =
    bytes.grouped(60000).toSeq.zipWithIndex.foreach { case (part, i) =>
      c.transfer(id, part, more = (i + 1) * 60000 < bytes.length)
    }

  private def rejection(disposition: Disposition): ErrorCondition = disposition.getState match {
    case rejected: Rejected => rejected.getError
    case other => fail(s"the outcome is $other")
  }

  spec("2.7.3", "a message over the link's limit is rejected with its id and size, and the link takes the next one") {
    val c = client().open()
    c.attachSender("hub1/Partitions/0")
    val bytes = message("x" * (1024 * 1024))
    sendInFrames(c, 0, bytes)
    val error = rejection(c.expect[Disposition])
    assert(condition(error) == "amqp:link:message-size-exceeded")
    assert(error.getDescription.startsWith(
      s"The received message (delivery-id:0, size:${bytes.length} bytes) exceeds the limit (1048576 bytes)"
    ))
    c.transfer(1, message("y"))
    assert(c.expect[Disposition].getState.isInstanceOf[Accepted])
    assert(read("0", 1).head.getData.getBodyAsString == "y")
  }

  spec("2.7.3", "the link of a message that is far over its limit ends while it arrives, and so with endless frames") {
    val c = client().open()
    c.attachSender("hub1/Partitions/0")
    (1 to 400).foreach(_ => c.transfer(0, new Array[Byte](50000), more = true))
    val error = c.expect[Detach].getError
    assert(condition(error) == "amqp:link:message-size-exceeded")
    assert(error.getDescription.contains("exceeds the limit (1048576 bytes)"))
    c.attachSender("$" + "cbs", handle = 1, name = "requests")
    val frames = Array.fill(1000)(c.transferFrame(1, Array.emptyByteArray, handle = 1, more = true)).flatten
    (1 to 70).foreach(_ => c.sendBytes(frames))
    assert(condition(c.expect[Detach].getError) == "amqp:link:message-size-exceeded")
  }

  test("the room for incomplete messages grows with the tier's largest message") {
    val limits = AmqpLimits()
    assert(limits.forMessagesOf(1L << 20) == limits && limits.forMessagesOf(256L << 10) == limits)
    assert(limits.forMessagesOf(20L << 20).incompletePerConnection == 64L * (20L << 20))
  }

  spec("2.7.3", "the bytes of a message over the link's limit are dropped as they come") {
    val c = client().open()
    c.attachSender("hub1/Partitions/0")
    (1 to 200).foreach(_ => c.transfer(0, new Array[Byte](50000), more = true))
    c.transfer(0, new Array[Byte](1))
    assert(rejection(c.expect[Disposition]).getDescription.contains("size:10000001 bytes"))
  }

  spec("2.6.14", "an aborted message over the link's limit does not count for the next one") {
    val c = client().open()
    c.attachSender("hub1/Partitions/0")
    (0 to 21).foreach(_ => c.transfer(0, new Array[Byte](50000), more = true))
    val abort = new Transfer
    abort.setHandle(UnsignedInteger.ZERO)
    abort.setAborted(true)
    c.send(0, abort)
    c.transfer(1, message("y"))
    assert(c.expect[Disposition].getState.isInstanceOf[Accepted])
  }

  spec("3.4.3", "the error of a rejected delivery is written with all its fields") {
    server.faults.inject(Fault(FaultAction.Throttle, Occasion.Send))
    val c = client().open()
    c.attachSender("hub1/Partitions/0")
    c.transfer(0, message("x"))
    val rejection = Iterator.continually(c.receive()).find(_.body.exists {
      case disposition: Disposition => disposition.getState.isInstanceOf[Rejected]
      case _ => false
    }).get
    val error = rejection.raw.indexOfSlice(Array(0x00, 0x53, 0x1d).map(_.toByte))
    assert(error > 0 && fieldCount(rejection.raw.drop(error)) == 3)
  }

  spec("2.8.15", "a message that cannot be decoded detaches its link") {
    val c = client().open()
    c.attachSender("hub1/Partitions/0")
    c.transfer(0, Array(1, 2, 3))
    assert(condition(c.expect[Detach].getError) == "amqp:decode-error")
  }

  spec("2.6.4", "messages that follow one that ends their link get no outcome, because they are not stored") {
    val c = client().open()
    c.attachSender("hub1/Partitions/0")
    val payloads = Seq(message("a"), Array[Byte](1, 2, 3), message("b"), message("c"))
    c.sendBytes(payloads.zipWithIndex.map { case (payload, id) => c.transferFrame(id, payload) }.reduce(_ ++ _))
    detach(c)
    val frames = framesUntilClose(c)
    assert(outcomes(frames) == Seq(0))
    assert(frames.count(_.isInstanceOf[Detach]) == 1)
    assert(read("0", 1).map(_.getData.getBodyAsString) == Seq("a"))
  }

  spec("2.6.4", "messages without an outcome get none when the peer ends their link") {
    server.faults.inject(Fault(FaultAction.Stall, Occasion.Send, count = Some(1)))
    val c = client().open()
    c.attachSender("hub1/Partitions/0")
    c.transfer(0, message("held"))
    c.transfer(1, message("in two"), more = true)
    detach(c)
    assert(outcomes(framesUntil[Detach](c)).isEmpty)
    assert(outcomes(framesUntilClose(c)).isEmpty)
  }

  spec("2.5.4", "messages of a session that has just ended get no outcome") {
    val c = client().open()
    c.attachSender("hub1/Partitions/0")
    val (first, unattached) = (c.transferFrame(0, message("a")), c.transferFrame(1, message("b"), handle = 9))
    c.sendBytes(first ++ unattached ++ c.transferFrame(2, message("c")))
    val frames = framesUntilClose(c)
    assert(outcomes(frames) == Seq(0))
    assert(frames.count(_.isInstanceOf[End]) == 1)
  }

  private def detach(c: FrameClient): Unit = {
    val detach = new Detach
    detach.setHandle(UnsignedInteger.ZERO)
    detach.setClosed(true)
    c.send(0, detach)
  }

  private def framesUntilClose(c: FrameClient): Seq[FrameBody] = {
    c.send(0, new Close)
    framesUntil[Close](c)
  }

  private def framesUntil[T <: FrameBody](c: FrameClient)(implicit tag: reflect.ClassTag[T]): Seq[FrameBody] =
    Iterator.continually(c.receive()).flatMap(_.body).takeWhile(!tag.runtimeClass.isInstance(_)).toSeq

  private def outcomes(frames: Seq[FrameBody]): Seq[Int] =
    frames.collect { case disposition: Disposition => disposition.getFirst.intValue }

  test("the server reports readers and counters") {
    append(0, "a", "b")
    val c = client().open()
    c.attachReceiver(reader, name = "my-link")
    c.flow(10)
    c.receive()
    c.receive()
    eventually("both events are counted")(server.counters.eventsOut == 2)
    val view = server.readers.head
    assert(view.hub == "hub1" && view.consumerGroup == "$Default" && view.partition == "0" && view.name == "my-link")
    assert(view.nextSequenceNumber == 2 && view.credit == 8 && view.epoch.isEmpty && view.connection.endsWith(
      "/frame-client"
    ))
    assert(server.counters.eventsIn == 2 && server.counters.bytesIn > 0 && server.counters.bytesOut > 0)
    assert(c.attachReceiver(reader, handle = 1, name = "second").getMaxMessageSize.longValue == 1048576)
  }

  test("a stall keeps the events of a link in order, also those that arrive during or after it") {
    val c = client().open()
    c.attachSender("hub1/Partitions/2")
    val stalls = Seq(1, 5).map(skip => Fault(FaultAction.Stall, Occasion.Send, skip = skip, count = Some(1)))
      .map(server.faults.inject)
    (0 until 20).foreach(i => c.transfer(i, message(s"$i")))
    assert(read("2", 1).head.getData.getBodyAsString == "0")
    eventually("both have begun")(server.faults.active.map(_.hits) == Seq(1, 1))
    stalls.foreach(stall => server.faults.cancel(stall.id))
    (20 until 40).foreach(i => c.transfer(i, message(s"$i")))
    assert(read("2", 40).map(_.getData.getBodyAsString) == (0 until 40).map(_.toString))
  }
}
