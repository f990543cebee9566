package localhub

import localhub.cli.Cli

/** `java -jar spark-eventhubs-localhub.jar --help` says what it can do. */
object Main {
  def main(args: Array[String]): Unit = sys.exit(Cli.run(args.toSeq))
}
