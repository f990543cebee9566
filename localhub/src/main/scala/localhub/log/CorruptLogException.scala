package localhub.log

import java.io.IOException
import java.nio.file.{AccessDeniedException, FileAlreadyExistsException, FileSystemException, NoSuchFileException, Path}

import localhub.LocalHubException

/** Stored events are damaged. Nothing is skipped; the partition is not served. */
final class CorruptLogException(file: Path, position: Long, what: String)
    extends LocalHubException(
      s"The stored events in $file are damaged at byte $position: $what. " +
        "Restore the file from a copy, or remove the folder of its event hub to start that hub empty."
    )

/** A file of the stored events, or their folder, cannot be read. */
final class UnreadableLogException(file: Path, failure: IOException)
    extends LocalHubException(
      s"$file cannot be read: ${UnreadableLogException.reason(failure)}. Give the local hub access to it, restore it " +
        "from a copy, or remove the folder of its event hub to start that hub empty.",
      failure
    )

/** Events cannot be stored in a file, for example because the disk is full. */
final class UnwritableLogException(message: String, cause: Throwable = None.orNull)
    extends LocalHubException(message, cause) {

  def this(what: String, failure: IOException) =
    this(s"$what: ${UnreadableLogException.reason(failure)}", failure: Throwable)
}

private[localhub] object UnreadableLogException {

  /** Says the reason in words for people, without Java's. */
  def reason(failure: IOException): String = failure match {
    case _: NoSuchFileException => "it does not exist"
    case _: AccessDeniedException => "permission denied"
    case there: FileAlreadyExistsException => s"${there.getFile} is a file; expected a folder"
    case known: FileSystemException if Option(known.getReason).nonEmpty => known.getReason
    case other => Option(other.getMessage).getOrElse("an input or output error")
  }
}
