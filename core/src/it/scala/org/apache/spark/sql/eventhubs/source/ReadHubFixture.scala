package org.apache.spark.sql.eventhubs.source

import org.scalatest.Suite

import org.apache.spark.eventhubs.{EventHubsException, HubFixture}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.eventhubs.TestSpark
import testkit.HubService

/** The parts of an event that tests compare. */
final case class Seen(partition: Int, seqNo: Long, body: String)

/** Fills event hubs of a local hub from the inside, and reads them with Spark. */
trait ReadHubFixture extends HubFixture with TestSpark { this: Suite =>

  protected def hub(name: String) = localHub.namespace.find(name).getOrElse(throw new AssertionError(s"no hub $name"))

  /** Appends the given numbers of events to the partitions, in their order. */
  protected def send(name: String, counts: Int*): Unit = counts.zipWithIndex.foreach { case (count, partition) =>
    if (count > 0) StoredEvent.append(hub(name).partitions(partition), partition, count)
  }

  /** Removes the events before `seqNo`, as retention does. */
  protected def expire(name: String, partition: Int, before: Long): Unit =
    hub(name).partitions(partition).trimBefore(before)

  protected def grow(name: String, partitions: Int): Unit = {
    localHub.namespace.ensure(hub(name).config.copy(partitions = partitions)).orThrow()
    ()
  }

  protected def recreate(name: String): Unit = {
    // The service stores the creation time in milliseconds.
    val made = hub(name).createdAt.toEpochMilli
    eventually("a millisecond passed")(System.currentTimeMillis() > made)
    localHub.namespace.recreate(name)
    ()
  }

  /** Events of one partition, `from` until `until`. */
  protected def events(partition: Int, from: Long, until: Long): Seq[Seen] =
    (from until until).map(n => Seen(partition, n, s"p$partition-$n"))

  /** The first events of the partitions, in their order: the given number of each. */
  protected def firstEvents(counts: Int*): Seq[Seen] =
    counts.zipWithIndex.flatMap { case (count, partition) => events(partition, 0, count.toLong) }

  protected def options(name: String, more: Seq[(String, String)]): Map[String, String] = Map(
    "eventhubs.connectionString" -> localHub.connectionString(name),
    "eventhubs.operationTimeout" -> s"${20 * HubService.current.patience}s"
  ) ++ more

  protected def batch(name: String, more: (String, String)*): DataFrame =
    spark.read.format("eventhubs").options(options(name, more)).load()

  protected def seen(frame: DataFrame): Seq[Seen] =
    frame
      .selectExpr("cast(partition as int)", "sequenceNumber", "cast(body as string)")
      .collect()
      .map(row => Seen(row.getInt(0), row.getLong(1), row.getString(2)))
      .toSeq

  /** Compares without order and reports the events that differ. */
  protected def assertSame(actual: Seq[Seen], expected: Seq[Seen]): Unit = {
    val missing = expected.diff(actual)
    val surplus = actual.diff(expected)
    assert(missing.isEmpty && surplus.isEmpty, s"missing: ${missing.take(20)}, too many: ${surplus.take(20)}")
  }

  /** The connector's error that caused one of Spark's. */
  protected def ours(error: Throwable): EventHubsException =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).take(20).collectFirst { case own: EventHubsException =>
      own
    }
      .getOrElse(throw new AssertionError("there is no EventHubsException behind this", error))
}
