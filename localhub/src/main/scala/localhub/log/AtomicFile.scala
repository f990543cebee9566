package localhub.log

import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.StandardCopyOption.{ATOMIC_MOVE, REPLACE_EXISTING}
import java.nio.file.StandardOpenOption.{CREATE, READ, TRUNCATE_EXISTING, WRITE}
import java.nio.file.{AccessDeniedException, Files, Path}

import scala.util.Using

/** Writes files atomically: after a crash of the process or the machine a file is complete or absent. */
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

  /** Makes directory entries survive a power loss. */
  private def syncDirectory(directory: Path): Unit =
    try Using.resource(FileChannel.open(directory, READ))(_.force(true))
    catch { case _: AccessDeniedException => () } // Windows cannot sync directories.
}
