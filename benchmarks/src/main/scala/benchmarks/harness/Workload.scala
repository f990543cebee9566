package benchmarks.harness

import ujson.Value

/** What the events carry beside their body. */
sealed abstract class Content(val name: String)
object Content {
  case object Bare extends Content("bare")

  /** A partition key of 1,000 and three application properties (a header each for Kafka, whose key is the key). */
  case object PropertiesAndKeys extends Content("properties and keys")

  val all: Seq[Content] = Seq(Bare, PropertiesAndKeys)
}

/** Where a reading query writes to. */
sealed abstract class Sink(val name: String)
object Sink {

  /** Spark's own, which builds every row and drops it. */
  case object Noop extends Sink("noop")

  /** Files in a temporary folder: body, key, position and time of each event. */
  case object Parquet extends Sink("parquet")

  val all: Seq[Sink] = Seq(Noop, Parquet)
}

/**
 * What every system is given alike.
 *
 * @param events         of one pass, over all partitions; a multiple of `partitions`
 * @param eventsPerBatch most events of one micro-batch, for streams
 */
final case class Workload(
    bodyBytes: Int,
    partitions: Int,
    events: Long,
    eventsPerBatch: Long,
    content: Content = Content.Bare,
    sink: Sink = Sink.Noop
) {
  require(events % partitions == 0, s"$events events cannot be divided evenly over $partitions partitions")

  def eventsPerPartition: Long = events / partitions

  def json: ujson.Obj = ujson.Obj(
    "bodyBytes" -> bodyBytes,
    "partitions" -> partitions,
    "events" -> events.toDouble,
    "eventsPerBatch" -> eventsPerBatch.toDouble,
    "content" -> content.name,
    "sink" -> sink.name
  )
}

object Workload {
  def parse(json: Value): Workload = Workload(
    json("bodyBytes").num.toInt,
    json("partitions").num.toInt,
    json("events").num.toLong,
    json("eventsPerBatch").num.toLong,
    Content.all.find(_.name == json("content").str).get,
    Sink.all.find(_.name == json("sink").str).get
  )
}
