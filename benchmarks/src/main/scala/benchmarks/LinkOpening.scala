package benchmarks

import benchmarks.harness.Statistics
import benchmarks.server.HubProcess

import org.apache.spark.eventhubs.connection.FirstEventTimer

/**
 * The time from opening a link to its first event, on an open connection. Each partition of a batch read costs this in
 * addition to its events.
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
      val timer = new FirstEventTimer(hub.connectionString("links"))
      try (1 to rounds).foreach { round =>
          val millis = (0 until partitions).map(timer.time(_) / 1e6)
          println(f"round $round%2d: median ${Statistics.median(millis)}%.2f ms, most ${millis.max}%.2f ms")
        }
      finally timer.close()
    } finally hub.close()
  }
}
