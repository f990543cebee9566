package benchmarks.harness

import ujson.Value

/** The parts of an event besides its body. */
sealed abstract class Content(val name: String)
object Content {
  case object Bare extends Content("bare")

  /** One of 1,000 partition keys and three application properties. For Kafka a key and three headers. */
  case object PropertiesAndKeys extends Content("properties and keys")

  val all: Seq[Content] = Seq(Bare, PropertiesAndKeys)
}

/** The sink of a reading query. */
sealed abstract class Sink(val name: String)
object Sink {

  /** Spark's `noop` sink, which builds every row and drops it. */
  case object Noop extends Sink("noop")

  /** Files in a temporary folder: body, key, position and time of each event. */
  case object Parquet extends Sink("parquet")

  val all: Seq[Sink] = Seq(Noop, Parquet)
}

/**
 * Every client reads or writes these events.
 *
 * @param events         events of one pass, in all partitions; a multiple of `partitions`
 * @param eventsPerBatch maximum events of a stream's micro-batch
 * @param steady         a stream of at least a hundred micro-batches, of which the second half counts
 */
final case class Workload(
    bodyBytes: Int,
    partitions: Int,
    events: Long,
    eventsPerBatch: Long,
    content: Content = Content.Bare,
    sink: Sink = Sink.Noop,
    steady: Boolean = false
) {
  require(events % partitions == 0, s"$events events cannot be divided evenly over $partitions partitions")

  def eventsPerPartition: Long = events / partitions

  def json: ujson.Obj = ujson.Obj(
    "bodyBytes" -> bodyBytes,
    "partitions" -> partitions,
    "events" -> events.toDouble,
    "eventsPerBatch" -> eventsPerBatch.toDouble,
    "content" -> content.name,
    "sink" -> sink.name,
    "steady" -> steady
  )
}

object Workload {
  def parse(json: Value): Workload = Workload(
    json("bodyBytes").num.toInt,
    json("partitions").num.toInt,
    json("events").num.toLong,
    json("eventsPerBatch").num.toLong,
    Content.all.find(_.name == json("content").str).get,
    Sink.all.find(_.name == json("sink").str).get,
    json("steady").bool
  )
}
