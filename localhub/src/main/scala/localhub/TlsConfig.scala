package localhub

import java.nio.file.Path

/**
 * TLS, for clients that do not know the development flag.
 *
 * @param port     a port for TLS, 0 = any free one; the AMQP port then accepts TLS as well as plain AMQP
 * @param keyStore the server's certificate and key; without it the hub generates one, which clients must be set to
 *                 trust
 */
final case class TlsConfig(port: Int = 0, keyStore: Option[KeyStoreFile] = None)

/** A PKCS #12 key store with one private key. */
final case class KeyStoreFile(path: Path, password: String) {
  override def toString: String = s"KeyStoreFile($path,***)"
}
