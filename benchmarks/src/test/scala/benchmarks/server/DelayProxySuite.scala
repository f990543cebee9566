package benchmarks.server

import java.io.DataInputStream
import java.net.{InetAddress, ServerSocket, Socket}
import java.util.concurrent.CompletableFuture

import testkit.TestSuite

final class DelayProxySuite extends TestSuite {

  private val loopback = InetAddress.getByName("127.0.0.1")

  /** A server that sends back what it gets until the end of the stream. */
  private def withEcho(body: Int => Unit): Unit = {
    val server = new ServerSocket(0, 1, loopback)
    CompletableFuture.runAsync { () =>
      val socket = server.accept()
      try socket.getInputStream.transferTo(socket.getOutputStream)
      finally socket.close()
      ()
    }
    try body(server.getLocalPort)
    finally server.close()
  }

  test("all bytes arrive in order, and the end of the stream after them") {
    withEcho { echo =>
      val proxy = new DelayProxy(echo, 1)
      try {
        val socket = new Socket(loopback, proxy.port)
        val sent = Array.tabulate(3 << 20)(index => (index % 251).toByte)
        CompletableFuture.runAsync { () =>
          socket.getOutputStream.write(sent)
          socket.shutdownOutput()
        }
        try assert(new DataInputStream(socket.getInputStream).readAllBytes().sameElements(sent))
        finally socket.close()
      } finally proxy.close()
    }
  }

  test("a round trip takes at least both delays") {
    withEcho { echo =>
      val proxy = new DelayProxy(echo, 20)
      try {
        val socket = new Socket(loopback, proxy.port)
        try {
          val start = System.nanoTime()
          socket.getOutputStream.write(1)
          assert(socket.getInputStream.read() == 1)
          assert(System.nanoTime() - start >= 40000000L)
        } finally socket.close()
      } finally proxy.close()
    }
  }

  test("a client that finds no server behind the proxy is disconnected") {
    val unused = new ServerSocket(0, 1, loopback)
    unused.close()
    val proxy = new DelayProxy(unused.getLocalPort, 0)
    try {
      val socket = new Socket(loopback, proxy.port)
      try assert(socket.getInputStream.read() == -1)
      finally socket.close()
    } finally proxy.close()
  }
}
