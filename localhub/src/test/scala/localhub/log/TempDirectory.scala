package localhub.log

import java.nio.file.{Files, Path}

object TempDirectory {

  /** A new, empty folder under the system's temporary one, removed when the tests' process ends. */
  def create(): Path = {
    val created = Files.createTempDirectory("localhub-log")
    Runtime.getRuntime.addShutdownHook(new Thread(() => delete(created)))
    created
  }

  private def delete(directory: Path): Unit = {
    val files = Files.walk(directory)
    try files.sorted(java.util.Comparator.reverseOrder()).forEach(file => { Files.deleteIfExists(file); () })
    finally files.close()
  }
}
