package localhub.log

import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.StandardCopyOption.{ATOMIC_MOVE, REPLACE_EXISTING}
import java.nio.file.StandardOpenOption.{CREATE, READ, TRUNCATE_EXISTING, WRITE}
import java.nio.file.attribute.PosixFilePermissions
import java.nio.file.{AccessDeniedException, Files, Path}

import scala.util.Using

/** Writes files atomically: after a crash of the process or the machine a file is complete or absent. */
private[localhub] object AtomicFile {

  def write(file: Path, content: String): Unit = write(file, content.getBytes(UTF_8))

  /** @param isSecret whether only its owner may read it, where the file system knows owners */
  def write(file: Path, content: Array[Byte], isSecret: Boolean = false): Unit = {
    val absolute = file.toAbsolutePath
    val temporary = absolute.resolveSibling(s".${absolute.getFileName}.${ProcessHandle.current.pid}.tmp")
    try {
      if (isSecret) createForOwner(temporary)
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

  private def createForOwner(file: Path): Unit = {
    Files.deleteIfExists(file)
    val isKnown = file.getFileSystem.supportedFileAttributeViews.contains("posix")
    val owner = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
    if (isKnown) Files.createFile(file, owner) else Files.createFile(file)
    ()
  }

  /** Makes directory entries survive a power loss. */
  private def syncDirectory(directory: Path): Unit =
    try Using.resource(FileChannel.open(directory, READ))(_.force(true))
    catch { case _: AccessDeniedException => () } // Windows cannot sync directories.
}
