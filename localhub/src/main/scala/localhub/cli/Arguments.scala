package localhub.cli

import java.nio.file.Path

import localhub.LocalHubConfig

/** The parsed command line. */
private[localhub] final case class Arguments(hub: LocalHubConfig, readyFile: Option[Path], exitWithStdin: Boolean)

/** A mistake in the command line or in a file that it names: one line on stderr, exit code 2. */
private[localhub] final class UsageException(message: String) extends RuntimeException(message)
