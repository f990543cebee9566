package localhub.log

import java.nio.ByteBuffer
import java.nio.file.{Files, Path}

/** Keeps a partition's [[RemovedEvents]] in a file: crc:4, base:8, then the bits. Writes are atomic. */
private[localhub] final class RemovedEventsFile(file: Path) {

  private[log] def load(): RemovedEvents =
    if (!Files.exists(file)) RemovedEvents.Empty
    else {
      val buffer = ByteBuffer.wrap(Files.readAllBytes(file))
      val length = buffer.remaining - RemovedEventsFile.CrcBytes
      if (length < java.lang.Long.BYTES || length % java.lang.Long.BYTES != 0)
        throw new CorruptLogException(file, 0, "it is cut off")
      if (buffer.getInt() != SegmentFormat.crc(buffer.array, RemovedEventsFile.CrcBytes, length))
        throw new CorruptLogException(file, 0, "its checksum is wrong")
      val base = buffer.getLong()
      RemovedEvents(base, Array.fill(buffer.remaining / java.lang.Long.BYTES)(buffer.getLong()))
    }

  private[log] def save(removed: RemovedEvents): Unit = {
    val words = removed.words
    val buffer = ByteBuffer.allocate(RemovedEventsFile.CrcBytes + (1 + words.length) * java.lang.Long.BYTES)
    buffer.putInt(0).putLong(removed.base)
    words.foreach(buffer.putLong(_))
    val content = buffer.array
    buffer.putInt(
      0,
      SegmentFormat.crc(content, RemovedEventsFile.CrcBytes, content.length - RemovedEventsFile.CrcBytes)
    )
    AtomicFile.write(file, content)
  }
}

private[localhub] object RemovedEventsFile {
  private val CrcBytes = 4

  /** In the folder of its partition. */
  val Name = "removed"
}
