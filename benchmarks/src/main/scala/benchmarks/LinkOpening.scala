package benchmarks

import benchmarks.harness.Statistics
import benchmarks.server.HubProcess

import org.apache.spark.eventhubs.connection.FirstEvents

/**
 * How long a new link takes until its first event, on a connection that is open: what each partition of a batch read costs
 * beside its events.
 *
 * Arguments: partitions, rounds; `-` is the default: 32, 10.
 */
object LinkOpening {

  def main(args: Array[String]): Unit = {
    val words = Arguments(args)
    val (partitions, rounds) = (words.int(0, 32), words.int(1, 10))
    val hub = new HubProcess
    try {
      hub.create("links", partitions)
      hub.oneEach("links", partitions)
      val first = new FirstEvents(hub.connectionString("links"))
      try (1 to rounds).foreach { round =>
          val millis = (0 until partitions).map(first.time(_) / 1e6)
          println(f"round $round%2d: median ${Statistics.median(millis)}%.2f ms, most ${millis.max}%.2f ms")
        }
      finally first.close()
    } finally hub.close()
  }
}
