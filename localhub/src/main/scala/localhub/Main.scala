package localhub

import localhub.cli.Cli

/** The program; `java -jar spark-eventhubs-localhub.jar --help` lists its options. */
object Main {
  def main(args: Array[String]): Unit = sys.exit(Cli.run(args.toSeq))
}
