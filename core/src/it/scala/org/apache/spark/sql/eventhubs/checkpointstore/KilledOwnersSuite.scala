package org.apache.spark.sql.eventhubs.checkpointstore

import scala.collection.mutable
import scala.util.Random

import org.scalatest.time.{Millis, Seconds, Span}

import testkit.{LongTest, TestSuite}

/**
 * The official event processor for Java and a stream, each in a JVM of its own, take turns in one consumer group, and
 * some are killed. `OWNER_KILLS=10` is the long form; `OWNER_KILLS_SEED` repeats the moments of a run.
 */
@LongTest
class KilledOwnersSuite extends TestSuite with OwningStreams {

  private val kills = sys.env.get("OWNER_KILLS").fold(2)(_.toInt)
  private val perTurn = 150
  private val partitions = 2

  override def timeLimit: Span = Span(300 + 90L * kills, Seconds)

  // A processor writes a checkpoint after each event, so it is slow with what killed owners have left.
  implicit override def patienceConfig: PatienceConfig =
    PatienceConfig(Span(90 + 30L * kills, Seconds), Span(100, Millis))

  /** A hub, a container and the owners that took turns. */
  private final class Relay {
    private val name = newHub(partitions)
    private val container = newContainer()
    private val checkpoint = newFolder()
    val turns: mutable.Buffer[OwnerTurn] = mutable.Buffer.empty
    var sent = 0

    def more(): Unit = {
      send(name, Seq.fill(partitions)(perTurn): _*)
      sent += perTurn
    }

    def start(isStream: Boolean): OwnerTurn = {
      val program = (if (isStream) OwningStreamProgram else JavaProcessorProgram).getClass.getName
      val common = Seq(localHub.connectionString(name), storageConnectionString, container)
      val arguments = if (isStream) common :+ checkpoint.toUri.toString else common
      val turn = new OwnerTurn(program.stripSuffix("$"), arguments, published(container, name), unfinished)
      turns += turn
      turn
    }

    /** Batches that Spark has planned and not committed. */
    private def unfinished: Set[Long] = batches("offsets") -- batches("commits")

    /** A log has a file for each batch, which is named by its number. Drafts and checksums have other names. */
    private def batches(log: String): Set[Long] = {
      val names = Option(checkpoint.resolve(log).toFile.list()).getOrElse(Array.empty[String])
      names.filter(_.matches("\\d+")).map(_.toLong).toSet
    }

    def waitFor(turn: OwnerTurn, count: Int): Unit =
      eventually(s"turn ${turns.size} has processed $count events; ${turn.output}") {
        assert(turn.isRunning, turn.output)
        turn.events.size >= count
      }

    /** Until the store says that all events are processed. */
    def waitForEnd(): Unit = {
      val last = (0 until partitions).map(_ -> (sent - 1L)).toMap
      val turn = turns.last
      eventually(s"all events are processed: ${published(container, name)} is not $last; ${turn.output}") {
        assert(turn.isRunning, turn.output)
        published(container, name) == last
      }
    }

    def assertReleased(): Unit = assert(owners(container, name) == (0 until partitions).map(_ -> "").toMap)
  }

  /** Spark repeats a batch only after a restart, and a processor continues at its checkpoint. */
  private def assertOnceInItsTurn(turn: OwnerTurn): Unit = {
    val twice = turn.events.groupBy(event => event.partition -> event.seqNo).values.filter(_.size > 1).toSeq
    assert(twice.isEmpty, "processed twice in one turn")
  }

  /**
   * Counts the events that the store had when their turn started. Only a batch of a stream that was planned and not
   * committed then may repeat them.
   */
  private def repeatedBySpark(turns: Seq[OwnerTurn]): Int = turns.map { turn =>
    val again = turn.events.filter(event => turn.checkpoints.get(event.partition).exists(_ >= event.seqNo))
    again.foreach(event => assert(turn.unfinished(event.batch), s"$event was in the store before its turn"))
    again.size
  }.sum

  test("Java processors and streams take turns and some are killed: nothing is lost") {
    val relay = new Relay
    val moments = new Random(sys.env.get("OWNER_KILLS_SEED").fold(1L)(_.toLong))
    try {
      relay.more()
      (0 until kills).foreach { kill =>
        val turn = relay.start(isStream = kill % 2 == 1)
        relay.waitFor(turn, 1 + moments.nextInt(perTurn - 1))
        turn.kill()
        relay.more()
      }
      Seq(kills % 2 == 1, kills % 2 == 0).foreach { isStream =>
        val turn = relay.start(isStream)
        relay.waitForEnd()
        turn.stop()
        // The Java SDK's stop does not wait for a claim that is on its way.
        if (isStream) relay.assertReleased()
        relay.more()
      }
      val last = relay.start(isStream = false)
      relay.waitForEnd()
      last.stop()
    } finally relay.turns.foreach(_.kill())

    val turns = relay.turns.toSeq
    turns.foreach(assertOnceInItsTurn)
    val read = turns.flatMap(_.events)
    val events = read.map(event => event.partition -> event.seqNo).toSet
    assert(events == (for (p <- 0 until partitions; n <- 0 until relay.sent) yield p -> n.toLong).toSet, "nothing lost")
    val again = repeatedBySpark(turns)
    info(s"$kills kills, ${read.size} events, ${read.size - events.size} repeated, $again of them by a repeated batch")
  }
}
