package benchmarks.worker

import java.io.{BufferedReader, InputStreamReader, PrintStream}

import benchmarks.harness.{Client, Contender, Operation, Request, Task}

/** The work of a contender. */
trait Work extends AutoCloseable {
  def run(request: Request): Outcome
}

/**
 * Runs one contender in a JVM of its own. Reads requests as lines of JSON, answers each with a line, and exits when
 * standard input ends.
 *
 * Argument: see [[Contender.argument]].
 */
object Worker {

  def main(args: Array[String]): Unit = {
    // Libraries may print to standard output, which is for the answers only.
    val answers = System.out
    System.setOut(new PrintStream(System.err, true))
    val contender = Contender.parse(args.head)
    val work = open(contender)
    val meter = new Meter
    answers.println("ready")
    try {
      val lines = new BufferedReader(new InputStreamReader(System.in))
      Iterator.continually(lines.readLine()).takeWhile(_ != null).foreach { line =>
        val request = Request.parse(ujson.read(line))
        val usage = meter.measure(work.run(request))
        if (request.task == Task.Check || request.task == Task.Pass)
          require(
            usage.events == request.workload.events,
            s"${contender.name}: ${usage.events} events in ${request.workload}"
          )
        answers.println(ujson.write(usage.json))
      }
    } finally {
      meter.close()
      work.close()
    }
    // Non-daemon threads of libraries keep the process alive.
    sys.exit(0)
  }

  private def open(contender: Contender): Work = contender match {
    case Contender(Operation.Receive, Client.Sdk, _, _) => new SdkReceive
    case Contender(Operation.Send, Client.Sdk, _, _) => new SdkSend
    case Contender(operation, Client.Kafka, _, _) => SparkWork.open(operation, KafkaFormat)
    case Contender(operation, _, apiVersion, variant) =>
      SparkWork.open(operation, new EventHubsFormat(apiVersion, variant))
  }
}
