package localhub.cli

import java.io.IOException
import java.nio.file.Path

import localhub.LocalHub
import localhub.log.AtomicFile

/** Writes the hub's ports for the program that started it, when they listen. The write is atomic. */
private[localhub] object ReadyFile {

  def write(file: Path, hub: LocalHub): Unit = {
    val content =
      ujson.Obj("amqpPort" -> hub.amqpPort, "httpPort" -> hub.httpPort, "pid" -> ProcessHandle.current.pid.toDouble)
    hub.tlsPort.foreach(port => content("tlsPort") = port)
    hub.authority.foreach(authority => content("authorityUrl") = authority.url)
    try AtomicFile.write(file, ujson.write(content))
    catch {
      case failure: IOException =>
        throw new UsageException(s"--ready-file $file cannot be written: $failure.")
    }
  }
}
