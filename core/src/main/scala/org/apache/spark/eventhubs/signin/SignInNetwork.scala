package org.apache.spark.eventhubs.signin

import java.time.Duration

import com.azure.core.http.policy.{ExponentialBackoffOptions, RetryOptions}
import com.azure.identity.CredentialBuilderBase

import org.apache.spark.eventhubs.options.{ConnectionSettings, ProxySettings}

/**
 * How the requests of a sign-in leave this machine. Credentials with unequal networks must not be shared.
 *
 * @param trustedCertificates path of a PEM file
 */
private[eventhubs] final case class SignInNetwork(proxy: ProxySettings, trustedCertificates: Option[String]) {

  /** @return the same builder */
  private[signin] def configure[B <: CredentialBuilderBase[B]](builder: B): B =
    connect(builder).retryOptions(SignInNetwork.retries)

  /**
   * Configures a builder that keeps the SDK's own retries. It has its own for the identity of a virtual machine, and
   * fails when a builder sets others.
   */
  private[signin] def connect[B <: CredentialBuilderBase[B]](builder: B): B =
    builder.httpClient(new SignInHttpClient(this))
}

private[eventhubs] object SignInNetwork {

  /** Without options: the environment or the JVM may name a proxy, and the JVM's certificates are trusted. */
  val OfMachine: SignInNetwork = SignInNetwork(ProxySettings.Unset, None)

  def of(settings: ConnectionSettings): SignInNetwork = SignInNetwork(settings.proxy, settings.trustedCertificates)

  /** Four attempts within about 4 s of pauses. The connection retries too, until its own timeout. */
  private def retries = new RetryOptions(
    new ExponentialBackoffOptions()
      .setMaxRetries(3)
      .setBaseDelay(Duration.ofMillis(500))
      .setMaxDelay(Duration.ofSeconds(2))
  )
}
