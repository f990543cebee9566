package localhub.cli

import java.nio.file.Path

import localhub.{KeyStoreFile, TlsConfig}

/** The three TLS options. The password is in a file, because all users of a machine can see command lines. */
private[localhub] object TlsArguments {

  def read(port: Option[Int], keyStore: Option[Path], passwordFile: Option[Path]): Option[TlsConfig] =
    (port, keyStore, passwordFile) match {
      case (None, None, None) => None
      case (None, _, _) => throw new UsageException("--tls-keystore and --tls-password-file need --tls-port.")
      case (Some(number), None, None) => Some(TlsConfig(number))
      case (Some(number), Some(store), Some(file)) =>
        Some(TlsConfig(number, Some(KeyStoreFile(store, firstLine(file)))))
      case _ => throw new UsageException("--tls-keystore and --tls-password-file must be used together.")
    }

  private def firstLine(file: Path): String =
    GivenFile.text("--tls-password-file", file).linesIterator.nextOption().getOrElse("")
}
