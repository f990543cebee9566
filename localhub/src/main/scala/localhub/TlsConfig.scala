package localhub

import java.nio.file.Path

/**
 * TLS for clients that know no development flag.
 *
 * @param port     one of its own, 0 = any free one; the AMQP port then speaks TLS too, to whoever begins with it
 * @param keyStore the server's certificate and key; without it one is generated, which clients have to be told to trust
 */
final case class TlsConfig(port: Int = 0, keyStore: Option[KeyStoreFile] = None)

/** A PKCS #12 key store with one private key. */
final case class KeyStoreFile(path: Path, password: String) {
  override def toString: String = s"KeyStoreFile($path,***)"
}
