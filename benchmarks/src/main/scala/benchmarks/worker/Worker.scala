package benchmarks.worker

import java.io.{BufferedReader, InputStreamReader, PrintStream}

import benchmarks.harness.{Candidate, Lane, Operation, Request, Task}

/** What a lane can do. */
trait Work extends AutoCloseable {
  def run(request: Request): Done
}

/**
 * One lane in a JVM of its own. Reads requests as lines of JSON, answers each with a line, and ends with its standard
 * input.
 *
 * Argument: a lane, see [[Lane.argument]].
 */
object Worker {

  def main(args: Array[String]): Unit = {
    // Libraries write where they like; answers must stand alone.
    val answers = System.out
    System.setOut(new PrintStream(System.err, true))
    val lane = Lane.parse(args.head)
    val work = open(lane)
    val meter = new Meter
    answers.println("ready")
    try {
      val lines = new BufferedReader(new InputStreamReader(System.in))
      Iterator.continually(lines.readLine()).takeWhile(_ != null).foreach { line =>
        val request = Request.parse(ujson.read(line))
        val used = meter.measure(work.run(request))
        if (request.task == Task.Check || request.task == Task.Pass)
          require(used.events == request.workload.events, s"${lane.name}: ${used.events} events in ${request.workload}")
        answers.println(ujson.write(used.json))
      }
    } finally {
      meter.close()
      work.close()
    }
    // Threads of the libraries that are not daemons would hold the process.
    sys.exit(0)
  }

  private def open(lane: Lane): Work = lane match {
    case Lane(Operation.Receive, Candidate.Sdk, _, _) => new SdkReceive
    case Lane(Operation.Send, Candidate.Sdk, _, _) => new SdkSend
    case Lane(operation, Candidate.Kafka, _, _) => SparkWork.open(operation, KafkaFormat)
    case Lane(operation, _, face, variant) => SparkWork.open(operation, new EventHubsFormat(face, variant))
  }
}
