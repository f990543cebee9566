package localhub.cli

import java.io.IOException
import java.nio.file.StandardCopyOption.{ATOMIC_MOVE, REPLACE_EXISTING}
import java.nio.file.{Files, Path}

import localhub.LocalHub

/** Tells the program that started the hub that it listens, and where. Appears whole or not at all. */
object ReadyFile {

  def write(file: Path, hub: LocalHub): Unit = {
    val content =
      ujson.Obj("amqpPort" -> hub.amqpPort, "httpPort" -> hub.httpPort, "pid" -> ProcessHandle.current.pid.toDouble)
    val absolute = file.toAbsolutePath
    val temporary = absolute.resolveSibling(s".${absolute.getFileName}.${ProcessHandle.current.pid}.tmp")
    try {
      Files.writeString(temporary, ujson.write(content))
      Files.move(temporary, absolute, ATOMIC_MOVE, REPLACE_EXISTING)
    } catch {
      case failure: IOException =>
        Files.deleteIfExists(temporary)
        throw new UsageException(s"--ready-file $file cannot be written: $failure.")
    }
    ()
  }
}
