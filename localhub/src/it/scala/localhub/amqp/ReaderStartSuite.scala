package localhub.amqp

import org.apache.qpid.proton.amqp.transport.{Detach, ErrorCondition, Transfer}

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
      assert(error.getDescription.contains("could not be read"))
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
}
