package org.apache.spark.eventhubs.tls

import java.net.{InetAddress, Socket}
import java.nio.file.Files
import java.security.{KeyStore, SecureRandom}
import java.util.concurrent.ConcurrentLinkedQueue
import javax.net.ssl.{KeyManagerFactory, SSLContext}

import localhub.KeyStoreFile
import org.apache.spark.eventhubs.connection.ProxyThread

/** Serves a plain port of this machine over TLS, as `https://localhost:<port>`. */
private[eventhubs] final class TlsFront(plainPort: Int, keys: KeyStoreFile) extends AutoCloseable {

  private val listener = context.getServerSocketFactory.createServerSocket(0, 50, InetAddress.getLoopbackAddress)
  private val sockets = new ConcurrentLinkedQueue[Socket]

  ProxyThread.start {
    while (true) {
      val client = listener.accept()
      val server = new Socket(InetAddress.getLoopbackAddress, plainPort)
      Seq(client, server).foreach(sockets.add)
      Seq(client -> server, server -> client).foreach { case (from, to) =>
        ProxyThread.start {
          try { from.getInputStream.transferTo(to.getOutputStream); () }
          finally Seq(from, to).foreach(_.close())
        }
      }
    }
  }

  def port: Int = listener.getLocalPort

  override def close(): Unit = {
    listener.close()
    sockets.forEach(_.close())
  }

  private def context: SSLContext = {
    val store = KeyStore.getInstance("PKCS12")
    val stream = Files.newInputStream(keys.path)
    try store.load(stream, keys.password.toCharArray)
    finally stream.close()
    val managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm)
    managers.init(store, keys.password.toCharArray)
    val made = SSLContext.getInstance("TLS")
    made.init(managers.getKeyManagers, Array.empty, new SecureRandom)
    made
  }
}
