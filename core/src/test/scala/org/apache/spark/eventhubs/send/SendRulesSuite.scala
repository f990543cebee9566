package org.apache.spark.eventhubs.send

import java.time.Duration
import java.util.concurrent.TimeoutException

import scala.collection.mutable
import scala.util.Random

import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpException}

import org.apache.spark.eventhubs.connection.{EventHubsProducer, ProducerFailure}
import org.apache.spark.eventhubs.options.WriteDestination
import org.apache.spark.eventhubs.options.WriteDestination.{AnyPartition, ToPartition}
import org.apache.spark.eventhubs.retry.BackOff
import org.apache.spark.eventhubs.send.SendFixture.{event, limits}
import org.apache.spark.eventhubs.send.SendRules._
import testkit.TestSuite

/** What is sent to a hub, and what follows each result: without a thread, a clock or a connection. */
class SendRulesSuite extends TestSuite with ScriptedService {

  private val second = 1000L * 1000 * 1000
  private val noAnswer = new TimeoutException("no answer")
  private val notProcessed = new AmqpException(true, AmqpErrorCondition.INTERNAL_ERROR, "try again", none)

  /** The rules of one hub, with a time that the test sets. */
  private final class Hub(settleTime: Option[Duration] = None, limits: SendLimits = SendFixture.limits) {
    val budget = new TaskBudget(limits)
    private val steady = new BackOff(Duration.ofMillis(100), Duration.ofSeconds(5), () => 0.5)
    val rules = new SendRules(limits, budget, settleTime, steady)
    var now = 0L
    private val queues = mutable.HashMap.empty[WriteDestination, DestinationQueue]

    def queue(destination: WriteDestination): DestinationQueue =
      queues.getOrElseUpdate(destination, new DestinationQueue(destination))

    def add(body: String, destination: WriteDestination = ToPartition("0")): InFlightBatch = {
      val batch = new FakeBatch(destination, 1000)
      batch.tryAdd(event(body))
      val full = new InFlightBatch(queue(destination), batch, firstStamp = None)
      budget.submitted(full)
      rules.add(full, accepted = 0)
      full
    }

    /** Sends what may be sent. */
    def send(over: EventHubsProducer): Seq[Attempt] = rules.toStart(now).flatMap { queue =>
      Iterator.continually(rules.next(
        queue,
        now
      )).takeWhile(_.isDefined).flatten.map(rules.started(_, over, now)).toList
    }

    /** Sends the only batch that may be sent. */
    def sendOne(over: EventHubsProducer): Attempt = {
      val sent = send(over)
      assert(sent.length == 1)
      sent.head
    }

    def end(attempt: Attempt, error: Option[Throwable] = None): Seq[Action] =
      rules.ended(attempt, error, now, accepted = 0, now)
  }

  private def exactlyOnce = new Hub(Some(Duration.ofSeconds(5)))
  private def connection: EventHubsProducer = new FakeProducer(1, _ => ())

  test("a partition has one batch on the wire, and a batch that failed is sent again before its successors") {
    val (hub, over) = (new Hub, connection)
    val batches = Seq("a", "b").map(hub.add(_))
    val first = hub.sendOne(over)
    assert(hub.end(first, Some(dropped)) == Seq(LinkLost(batches.head)))
    assert(hub.send(over).isEmpty, "before the back-off ends")
    assert(hub.rules.nextStart.contains(second / 10))
    hub.now = second / 10
    val again = hub.sendOne(over)
    assert(again.batch eq batches.head)
    assert(hub.end(again) == Seq(Accepted(batches.head)))
    assert(hub.send(over).map(_.batch) == Seq(batches(1)))
    assert(hub.budget.totals.retried == 1)
  }

  test("batches without an order overlap") {
    val hub = new Hub
    Seq("a", "b", "c").foreach(hub.add(_, AnyPartition))
    assert(hub.send(connection).length == 3)
  }

  test("a busy service holds up all queues of the hub for its pause, then accepts one batch") {
    val (hub, over) = (new Hub, connection)
    Seq("0", "1", "2").foreach(partition => hub.add("a" * 400, ToPartition(partition)))
    val sent = hub.send(over)
    assert(sent.length == 2, "the window is full")
    assert(sent.flatMap(hub.end(_, Some(busy(9)))).isEmpty)
    hub.now = 9 * second - 1
    assert(hub.send(over).isEmpty && hub.rules.nextStart.contains(9 * second))
    hub.now = 9 * second
    assert(hub.send(over).length == 1 && hub.budget.totals.throttled == 2)
  }

  test("a service that stays busy fails the task after ten timeouts") {
    val (hub, over) = (new Hub, connection)
    val batch = hub.add("a")
    var failed = Seq.empty[Action]
    while (failed.isEmpty) {
      val sent = hub.sendOne(over)
      failed = hub.end(sent, Some(busy(30)))
      hub.now += 30 * second
    }
    assert(failed.collect { case Fail(of, _) => of } == Seq(batch))
    assert(hub.now >= 10 * limits.sendTimeout.toNanos)
  }

  test("a permanent failure fails the task at once") {
    val hub = new Hub
    val batch = hub.add("a")
    val sent = hub.sendOne(connection)
    assert(hub.end(sent, Some(unauthorized)) == Seq(Fail(batch, unauthorized)))
  }

  test("at least once: a connection is replaced after its second lost link, or when it does not answer") {
    val (hub, over) = (new Hub, connection)
    val batch = hub.add("a")
    def endNext(error: Throwable): Seq[Action] = {
      hub.now += 10 * second
      val sent = hub.sendOne(over)
      hub.end(sent, Some(error))
    }
    assert(endNext(dropped) == Seq(LinkLost(batch)))
    assert(endNext(dropped) == Seq(LinkLost(batch), Replace(over)))
    assert(endNext(noAnswer) == Seq(LinkLost(batch), Replace(over)))
    assert(!hub.rules.hasDoubts)
  }

  test("exactly once: all batches of a lost connection are in doubt, and nothing is sent before they are resolved") {
    val (hub, over, other) = (exactlyOnce, connection, connection)
    val batches = Seq("0", "1").map(partition => hub.add("a", ToPartition(partition)))
    val sent = hub.send(over)
    val elsewhere = hub.add("a", ToPartition("2"))
    val last = hub.sendOne(other)
    assert(hub.end(sent.head, Some(dropped)) == Seq(LinkLost(batches.head), Replace(over)))
    assert(hub.end(sent(1)).isEmpty, "a late answer")
    hub.now = 60 * second
    val waiting = hub.add("b", ToPartition("3"))
    assert(hub.send(other).isEmpty)
    assert(hub.rules.toResolve.isEmpty, "a batch is on the wire")
    hub.end(last)
    assert(hub.rules.toResolve == batches.map(_ -> over))
    hub.rules.resolved(Seq(batches(1)))
    assert(hub.send(other).map(_.batch).toSet == Set(batches.head, waiting))
    assert(hub.budget.totals.events == 2 && elsewhere.queue.isIdle && batches(1).queue.isIdle)
  }

  test("exactly once: a batch that the service could not process is in doubt, and its connection is kept") {
    val (hub, over) = (exactlyOnce, connection)
    val batch = hub.add("a")
    val sent = hub.sendOne(over)
    assert(hub.end(sent, Some(notProcessed)) == Seq(LinkLost(batch)))
    assert(hub.rules.toResolve == Seq(batch -> over))
  }

  test("exactly once: an answer that was due for longer than the settle time means that the connection has stalled") {
    val (hub, over) = (exactlyOnce, connection)
    val batch = hub.add("a")
    val sent = hub.sendOne(over)
    hub.now = 5 * second
    assert(hub.end(sent, Some(dropped)) == Seq(LinkLost(batch), Stalled(over), Replace(over)))
  }

  test("what shows that a connection has stalled") {
    val settle = Some(Duration.ofSeconds(5))
    assert(isStall(noAnswer, 0, None) && isStall(noAnswer, 0, settle))
    assert(isStall(dropped, 5 * second, settle))
    assert(!isStall(dropped, 5 * second - 1, settle) && !isStall(dropped, 5 * second, None))
    assert(!isStall(notProcessed, 60 * second, settle), "the service has answered")
    assert(!isStall(busy(4), 60 * second, settle) && !isStall(unauthorized, 60 * second, settle))
  }

  test("an attempt that the SDK has lost ends, and its late result changes nothing") {
    val (hub, over) = (new Hub, connection)
    val batch = hub.add("a")
    val sent = hub.sendOne(over)
    hub.now = limits.silence.toNanos
    assert(hub.rules.endLostAttempts(0, hub.now).isEmpty)
    hub.now += 1
    assert(hub.rules.endLostAttempts(0, hub.now) == Seq(Stalled(over), LinkLost(batch), Replace(over)))
    assert(hub.end(sent).isEmpty && hub.rules.hasWaiting)
  }

  test("all connections that have lost an attempt are known as stalled before anything else can fail") {
    val (hub, first, second) = (exactlyOnce, connection, connection)
    Seq(first, second).zipWithIndex.foreach { case (over, id) =>
      hub.rules.started(hub.add("a", ToPartition(id.toString)), over, 0)
    }
    val actions = hub.rules.endLostAttempts(0, limits.silence.toNanos + 1)
    assert(actions.takeWhile(_.isInstanceOf[Stalled]) == Seq(Stalled(first), Stalled(second)))
    assert(actions.contains(Replace(first)) && actions.contains(Replace(second)))
  }

  test("a batch that was too long on the wire fails the task") {
    val hub = new Hub
    val batch = hub.add("a")
    hub.send(connection)
    hub.now = limits.sendTimeout.toNanos
    assert(hub.rules.failOverdue(hub.now).isEmpty)
    hub.now += 1
    assert(hub.rules.failOverdue(hub.now).collect { case Fail(of, _) => of } == Seq(batch))
  }

  test("a task that gives up aborts the connections of batches in doubt, and of those without an answer") {
    val (hub, doubtful, lost, silent) = (exactlyOnce, connection, connection, connection)
    val batches = (0 until 4).map(i => hub.add("a", ToPartition(i.toString)))
    val sent =
      Seq(doubtful, lost, silent, silent).zip(batches).map { case (over, batch) => hub.rules.started(batch, over, 0) }
    hub.end(sent(0), Some(dropped))
    hub.rules.endedLast(sent(1), Some(dropped))
    hub.rules.endedLast(sent(2), None)
    assert(hub.rules.isOnWire)
    assert(hub.rules.abandon() == Stalled(silent) +: Seq(doubtful, lost, silent).map(Replace(_)))
    assert(hub.rules.inDoubt.map(_._1) == Seq(batches(0), batches(1), batches(3)))
    hub.rules.endedLast(sent(3), None)
    assert(hub.rules.abandon() == Seq(doubtful, lost, silent).map(Replace(_)), "after an interrupt the same")
  }

  test("whatever fails, exactly once stores each batch once, in the order of its partition") {
    (0 until 300).foreach { seed =>
      val random = new Random(seed)
      val hub = new Hub(Some(Duration.ofSeconds(5)), limits.copy(sendTimeout = Duration.ofDays(1)))
      var over = connection
      val stored = mutable.Buffer.empty[InFlightBatch]
      val onWire = mutable.Buffer.empty[Attempt]
      val added = (0 until 20).map(i => hub.add(s"$i", ToPartition((i % 3).toString)))
      while (!hub.budget.isAllConfirmed) {
        hub.now += random.nextInt(10) * second / 10
        onWire ++= hub.send(over)
        assert(onWire.map(_.batch.queue).distinct.length == onWire.length, s"seed $seed")
        random.shuffle(onWire.toList).take(1).foreach { sent =>
          onWire -= sent
          val error = Seq(None, Some(busy(1)), Some(dropped), Some(noAnswer), Some(notProcessed))(random.nextInt(5))
          // A refused batch is never stored, one without an answer may be.
          val isRefused = error.map(ProducerFailure.of).exists(_.isInstanceOf[ProducerFailure.Throttled])
          if (error.isEmpty || (!isRefused && random.nextBoolean())) stored += sent.batch
          hub.end(sent, error).foreach {
            case Replace(dead) =>
              // What else was on the wire may be stored too.
              val (others, left) = onWire.toList.partition(_.over eq dead)
              stored ++= others.map(_.batch).filter(_ => random.nextBoolean())
              onWire.clear()
              onWire ++= left
              over = connection
            case Fail(_, failed) => fail(s"seed $seed", failed)
            case _ => ()
          }
        }
        val doubts = hub.rules.toResolve.map(_._1)
        if (doubts.nonEmpty) hub.rules.resolved(doubts.filter(stored.contains))
      }
      assert(stored.length == added.length && stored.toSet == added.toSet, s"seed $seed")
      stored.groupBy(_.queue).values.foreach(of => assert(of == added.filter(_.queue eq of.head.queue), s"seed $seed"))
    }
  }
}
