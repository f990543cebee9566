package localhub.cli

import java.io.IOException
import java.nio.file.Path

import localhub.LocalHub
import localhub.log.AtomicFile

/** Tells the program that started the hub that it listens, and where. Appears whole or not at all. */
object ReadyFile {

  def write(file: Path, hub: LocalHub): Unit = {
    val content =
      ujson.Obj("amqpPort" -> hub.amqpPort, "httpPort" -> hub.httpPort, "pid" -> ProcessHandle.current.pid.toDouble)
    hub.tlsPort.foreach(port => content("tlsPort") = port)
    try AtomicFile.write(file, ujson.write(content))
    catch {
      case failure: IOException =>
        throw new UsageException(s"--ready-file $file cannot be written: $failure.")
    }
  }
}
