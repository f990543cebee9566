package localhub.log

import java.nio.file.Path

import localhub.LocalHubException

/** Stored events are damaged. Nothing is skipped; the partition is not served. */
final class CorruptLogException(file: Path, position: Long, what: String)
    extends LocalHubException(
      s"The stored events in $file are damaged at byte $position: $what. " +
        "Restore the file from a copy, or remove the folder of its event hub to start that hub empty."
    )
