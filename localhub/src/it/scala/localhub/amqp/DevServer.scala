package localhub.amqp

import java.time.Clock

import localhub.auth.SharedAccessPolicy
import localhub.namespace.Namespace

/** Runs a server in the foreground, for trying other clients by hand: `DevServer <port>`. */
object DevServer {
  def main(args: Array[String]): Unit = {
    val namespace = Namespace.inMemory(Clock.systemUTC())
    namespace.create("hub1", 4, Set("cg1"))
    val server = new AmqpServer(namespace, Seq(SharedAccessPolicy.Root), "127.0.0.1", args.headOption.fold(0)(_.toInt))
    println(s"listening on ${server.port}")
    Thread.currentThread.join()
  }
}
