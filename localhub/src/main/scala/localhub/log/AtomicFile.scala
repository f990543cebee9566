package localhub.log

import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.StandardCopyOption.{ATOMIC_MOVE, REPLACE_EXISTING}
import java.nio.file.StandardOpenOption.{CREATE, READ, TRUNCATE_EXISTING, WRITE}
import java.nio.file.{AccessDeniedException, Files, Path}

import scala.util.Using

/** Files that are there whole or not at all, whenever the process or the machine stops. */
private[localhub] object AtomicFile {

  def write(file: Path, content: String): Unit = write(file, content.getBytes(UTF_8))

  def write(file: Path, content: Array[Byte]): Unit = {
    val absolute = file.toAbsolutePath
    val temporary = absolute.resolveSibling(s".${absolute.getFileName}.${ProcessHandle.current.pid}.tmp")
    try {
      Using.resource(FileChannel.open(temporary, CREATE, WRITE, TRUNCATE_EXISTING)) { channel =>
        val buffer = ByteBuffer.wrap(content)
        while (buffer.hasRemaining) channel.write(buffer)
        channel.force(true)
      }
      Files.move(temporary, absolute, ATOMIC_MOVE, REPLACE_EXISTING)
      syncDirectory(absolute.getParent)
    } finally {
      Files.deleteIfExists(temporary)
      ()
    }
  }

  /** Makes the names in a directory survive a power loss. */
  private def syncDirectory(directory: Path): Unit =
    try Using.resource(FileChannel.open(directory, READ))(_.force(true))
    catch { case _: AccessDeniedException => () } // Windows has no such thing for directories.
}
