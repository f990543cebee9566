package localhub.log

import java.io.{FileDescriptor, IOException, RandomAccessFile}
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.slf4j.LoggerFactory

/**
 * The files of one partition: its segments, and `begin`, the first retained sequence number.
 *
 * @param syncToDisk waits until a whole file is on disk
 */
private[log] final class LogDirectory(directory: Path, syncToDisk: FileDescriptor => Unit = _.sync()) {
  private val log = LoggerFactory.getLogger(getClass)
  private val mark = directory.resolve("begin")

  Files.createDirectories(directory)

  /** Opens the stored log, or starts a new one. Cuts off an append that was not finished. */
  def open(): OpenedLog = {
    removeLeftovers()
    val found = segments()
    val last = found.lastOption.getOrElse(create(LogTail.Start))
    val (writer, tail) = recover(last)
    val all = found.dropRight(1) :+ writer.segment
    val begin = math.max(savedBegin, all.head.firstSequenceNumber)
    if (begin <= tail.nextSequenceNumber) OpenedLog(all, writer, tail, begin)
    else {
      writer.close()
      val next = skipped(tail, begin)
      val segment = create(next)
      OpenedLog(all :+ segment, newWriter(segment), next, begin)
    }
  }

  /** Appends to a new segment. */
  def newWriter(segment: Segment): SegmentWriter =
    new SegmentWriter(segment, SegmentFormat.FileHeaderBytes.toLong, syncToDisk)

  // After a power loss without `fsync` the last events may be missing. Retention had removed those before `begin`, so
  // no reader misses them, but their numbers must not be used again.
  private def skipped(tail: LogTail, begin: Long): LogTail = {
    log.warn(
      "{}: the events {} to {} are missing. Retention had removed them.",
      directory,
      tail.nextSequenceNumber,
      begin - 1
    )
    val millis = math.max(tail.last.enqueuedMillis, Files.getLastModifiedTime(mark).toMillis)
    LogTail(LogPosition(begin - 1, tail.last.offset, millis), tail.nextOffset)
  }

  def saveBegin(sequenceNumber: Long): Unit = AtomicFile.write(mark, sequenceNumber.toString)

  /** A new, empty segment; the file appears with its complete header. */
  def create(before: LogTail): Segment = {
    val file = directory.resolve(SegmentFormat.fileName(before.nextSequenceNumber))
    AtomicFile.write(file, SegmentFormat.fileHeader(before))
    new Segment(file, before, Some(new SparseIndex))
  }

  /** First retained sequence number. Only whole files are deleted, so the first file may hold older events. */
  private def savedBegin: Long =
    if (!Files.exists(mark)) 0L
    else {
      val text = Files.readString(mark).trim
      text.toLongOption.getOrElse(throw new CorruptLogException(mark, 0, s"'$text' is not a sequence number"))
    }

  private def segments(): Vector[Segment] = {
    val found = list().flatMap(file => SegmentFormat.firstSequenceNumber(file.getFileName.toString).map(_ -> file))
    found.sortBy(_._1).map { case (first, file) => open(first, file) }
  }

  private def removeLeftovers(): Unit = list().filter(_.getFileName.toString.startsWith(".")).foreach(Files.delete)

  private def list(): Vector[Path] = Using.resource(Files.list(directory))(_.iterator.asScala.toVector)

  private def reading[A](file: Path)(body: => A): A =
    try body
    catch { case failure: IOException => throw new UnreadableLogException(file, failure) }

  private def recover(last: Segment): (SegmentWriter, LogTail) = reading(last.file) {
    val scan = SegmentScan.scan(last.file, last.before)
    scan.ending match {
      case SegmentScan.Ending.Clean => ()
      case SegmentScan.Ending.Torn => cut(last.file, scan.validLength)
      case SegmentScan.Ending.Damaged(position, what) => throw new CorruptLogException(last.file, position, what)
    }
    (new SegmentWriter(new Segment(last.file, last.before, Some(scan.index)), scan.validLength, syncToDisk), scan.tail)
  }

  private def open(first: Long, file: Path): Segment = {
    val header =
      reading(file)(Using.resource(Files.newInputStream(file))(_.readNBytes(SegmentFormat.FileHeaderBytes)))
    SegmentFormat.parseFileHeader(header) match {
      case Right(before) if before.nextSequenceNumber == first => new Segment(file, before, None)
      case Right(before) =>
        throw new CorruptLogException(file, 0, s"its name is $first, but it begins with ${before.nextSequenceNumber}")
      case Left(what) => throw new CorruptLogException(file, 0, what)
    }
  }

  // Keeps the bytes that are cut off in a `.torn` file, for inspection.
  private def cut(file: Path, validLength: Long): Unit = {
    val torn = file.resolveSibling(s"${file.getFileName}.torn")
    Using.resource(new RandomAccessFile(file.toFile, "rw")) { open =>
      val rest = new Array[Byte]((open.length - validLength).toInt)
      open.seek(validLength)
      open.readFully(rest)
      AtomicFile.write(torn, rest)
      open.setLength(validLength)
    }
    log.warn(
      "{} ended with an unfinished append. Its {} bytes are cut off and kept in {}.",
      file,
      Files.size(torn),
      torn.getFileName
    )
  }
}

/** An opened partition. */
private[log] final case class OpenedLog(segments: Vector[Segment], writer: SegmentWriter, tail: LogTail, begin: Long)
