package localhub.cli

import java.io.IOException
import java.nio.charset.CharacterCodingException
import java.nio.file.{AccessDeniedException, Files, NoSuchFileException, Path}

/** A text file that an option names. */
private[cli] object GivenFile {

  /** Some editors begin a file with it. */
  private val ByteOrderMark = "\uFEFF"

  /**
   * The file's text, without a byte order mark.
   *
   * @throws UsageException that names the option and the file
   */
  def text(option: String, file: Path): String =
    try Files.readString(file).stripPrefix(ByteOrderMark)
    catch {
      case failure: IOException => throw new UsageException(s"$option $file cannot be read: ${reason(failure)}.")
    }

  private def reason(failure: IOException): String = failure match {
    case _: NoSuchFileException => "there is no such file"
    case _: AccessDeniedException => "its permissions do not allow it"
    case _: CharacterCodingException => "it is not UTF-8 text"
    case other => Option(other.getMessage).getOrElse("the file system refuses it")
  }
}
