package localhub.authority

import java.io.ByteArrayOutputStream
import java.security.KeyStore
import java.security.cert.Certificate

import localhub.amqp.layer.TlsIdentity
import localhub.auth.BearerValidator

/**
 * The authority of a hub: at most one at a time.
 *
 * @param bearer         accepts its tokens
 * @param hubCertificate the hub's own, which clients that use TLS must trust as well
 */
private[localhub] final class HubAuthority(bearer: BearerValidator, hubCertificate: Option[Certificate])
    extends AutoCloseable {

  private var running = Option.empty[LocalAuthority]

  // By host. Kept for the next authority, because generating one takes longer than all the rest of a start.
  private var identities = Map.empty[String, TlsIdentity]

  def current: Option[LocalAuthority] = synchronized(running)

  /** @throws IllegalStateException when there is one already */
  def start(config: LocalAuthorityConfig): LocalAuthority = synchronized {
    running.foreach { other =>
      throw new IllegalStateException(s"The hub has an authority at ${other.url} already; close that one first.")
    }
    val identity = identities.getOrElse(config.host, LocalAuthority.newIdentity(config.host))
    identities += config.host -> identity
    val authority = LocalAuthority.start(config, identity)
    running = Some(authority)
    bearer.use(Some(authority.tenant))
    authority
  }

  /** From now on the hub refuses its tokens. */
  override def close(): Unit = synchronized {
    bearer.use(None)
    running.foreach(_.close())
    running = None
  }

  /** PKCS #12, with the password [[HubAuthority.Password]]. */
  def trustStore(authority: LocalAuthority): Array[Byte] = {
    val store = KeyStore.getInstance("PKCS12")
    store.load(None.orNull, Array.emptyCharArray)
    trusted(authority).zipWithIndex.foreach { case (each, i) => store.setCertificateEntry(s"localhub-$i", each) }
    val bytes = new ByteArrayOutputStream
    store.store(bytes, HubAuthority.Password.toCharArray)
    bytes.toByteArray
  }

  /** What clients must trust: the authority's certificate, and the hub's own with TLS. */
  def trusted(authority: LocalAuthority): Seq[Certificate] = authority.certificate +: hubCertificate.toSeq
}

private[localhub] object HubAuthority {

  /** The usual password of trust stores; they hold no secret. */
  val Password = "changeit"
}
