package benchmarks.server

import java.lang.reflect.InvocationTargetException

/**
 * Formats the folder of a Kafka broker and runs it. It ends when standard input ends, and so whenever its parent
 * process ends. It runs on the broker's class path; the benchmarks are compiled without it.
 *
 * Arguments: the broker's settings file and a cluster id.
 */
object BrokerMain {

  def main(args: Array[String]): Unit = {
    val (settings, clusterId) = (args(0), args(1))
    val watch = new Thread(() => {
      while (System.in.read() >= 0) ()
      Runtime.getRuntime.halt(0)
    })
    watch.setDaemon(true)
    watch.start()
    // `StorageTool.main` ends the process.
    val formatted = Class.forName("kafka.tools.StorageTool")
      .getMethod("execute", classOf[Array[String]], classOf[java.io.PrintStream])
      .invoke(
        null,
        Array("format", "--config", settings, "--cluster-id", clusterId, "--ignore-formatted"),
        System.out
      )
    require(formatted == Int.box(0), s"kafka.tools.StorageTool could not format the folder: $formatted")
    try Class.forName("kafka.Kafka").getMethod("main", classOf[Array[String]]).invoke(null, Array(settings))
    catch { case failure: InvocationTargetException => throw failure.getCause }
    ()
  }
}
