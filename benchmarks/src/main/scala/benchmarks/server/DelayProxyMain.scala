package benchmarks.server

/**
 * A [[DelayProxy]] as a program. It prints its port and ends when standard input ends.
 *
 * Arguments: the server's port, and the delay in each direction in milliseconds.
 */
object DelayProxyMain {

  def main(args: Array[String]): Unit = {
    println(new DelayProxy(args(0).toInt, args(1).toDouble).port)
    while (System.in.read() >= 0) ()
    sys.exit(0)
  }
}
