package localhub

import java.io.{IOException, UncheckedIOException}

import localhub.log.{LogFullException, UnwritableLogException}
import testkit.TestSuite

class LocalHubExceptionSuite extends TestSuite {

  test("clients read the hub's own words, never those of Java") {
    val full = LocalHubException.forClients(new LogFullException(new OutOfMemoryError("Java heap space")))
    assert(full.startsWith("The local hub's memory is full: its heap has no room for more.") && !full.contains("java"))
    val disk = new UnwritableLogException("Cannot append to x.log", new IOException("No space left on device"))
    assert(LocalHubException.forClients(disk) == "Cannot append to x.log: No space left on device")
    val foreign = new UncheckedIOException(new java.nio.file.AccessDeniedException("/data/x"))
    assert(LocalHubException.forClients(foreign) == "The log of the local hub has the reason.")
  }
}
