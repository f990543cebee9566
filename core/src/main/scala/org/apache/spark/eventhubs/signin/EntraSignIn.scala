package org.apache.spark.eventhubs.signin

import java.nio.charset.StandardCharsets.UTF_8
import java.time.Duration

import com.azure.core.credential.TokenCredential
import com.azure.core.util.Configuration
import com.azure.identity.{
  AadCredentialBuilderBase,
  ClientAssertionCredentialBuilder,
  ClientCertificateCredentialBuilder,
  ClientSecretCredentialBuilder,
  DefaultAzureCredentialBuilder,
  ManagedIdentityCredentialBuilder
}

import org.apache.spark.eventhubs.credentials.{CertificateFile, Machine, ProviderClass}
import org.apache.spark.eventhubs.options.ConnectionOptions
import org.apache.spark.eventhubs.{Credential, EventHubsErrors}

/** The Azure SDK's credential for each way to sign in with Microsoft Entra ID. Its failures are explained. */
private[eventhubs] object EntraSignIn {

  private val shared = new SharedCredentials

  /** Equal credentials share one object of the SDK, which caches tokens, in each JVM. */
  def of(credential: Credential.Entra, network: SignInNetwork): TokenCredential = {
    SdkLogging.quieten()
    shared.of(use(credential, network))(create(credential, network))
  }

  /**
   * Why the last attempt of this JVM to get a token for event hubs gave none; None when it gave one.
   *
   * @param within how long ago it may have failed
   */
  def lastFailure(credential: Credential.Entra, network: SignInNetwork, within: Duration): Option[Throwable] =
    shared.known(use(credential, network)).collect { case explained: ExplainedSignIn => explained }
      .flatMap(_.lastFailure(TokenIdentity.Scope, within))

  private def use(credential: Credential.Entra, network: SignInNetwork) =
    (credential, network, ClientKey.provider(credential))

  private def create(credential: Credential.Entra, network: SignInNetwork): TokenCredential = credential match {
    case Credential.ClientSecret(tenant, client, secret, authority) =>
      def builder =
        at(authority, network.configure(new ClientSecretCredentialBuilder)).tenantId(tenant).clientId(client)
      val application = new ReloadingCredential(() => secret.value)(current => builder.clientSecret(current).build())
      explained(application, s"application '$client' in tenant '$tenant'", service(authority))
    case Credential.ClientCertificate(tenant, client, file, password, authority) =>
      def builder =
        at(authority, network.configure(new ClientCertificateCredentialBuilder)).tenantId(tenant).clientId(client)
      val application = new ReloadingCredential(() => CertificateFile.read(file, password))(withCertificate(builder, _))
      explained(application, s"application '$client' in tenant '$tenant' with a certificate", service(authority))
    case Credential.ManagedIdentity(client) =>
      val identity = network.connect(new ManagedIdentityCredentialBuilder)
      val who = client.fold("the system-assigned managed identity")(id => s"the managed identity '$id'")
      explained(client.fold(identity)(identity.clientId).build(), who, Some(MachineEndpoint.address))
    case Credential.WorkloadIdentity(tenant, client, file, authority) =>
      val directory = tenant.getOrElse(fromEnvironment("tenantId", Configuration.PROPERTY_AZURE_TENANT_ID))
      val application = client.getOrElse(fromEnvironment("clientId", Configuration.PROPERTY_AZURE_CLIENT_ID))
      val path = file.getOrElse(fromEnvironment("federatedTokenFile", "AZURE_FEDERATED_TOKEN_FILE"))
      val token = new ReloadingValue(() => federatedToken(path))(identity)
      // The SDK's own credential of workload identities first connects to the authority without proxy and trust.
      val builder = at(authority, network.configure(new ClientAssertionCredentialBuilder))
      val assertion = builder.tenantId(directory).clientId(application).clientAssertion(() => token.get()).build()
      explained(assertion, s"the workload identity '$application' in tenant '$directory'", service(authority))
    case Credential.DefaultAzure(authority) =>
      val chain = network.connect(new DefaultAzureCredentialBuilder)
      authority.foreach(chain.authorityHost)
      if (!AuthorityHost.isMicrosofts(AuthorityHost.of(authority))) chain.disableInstanceDiscovery()
      explained(chain.build(), "the Azure identity of this machine", authority)
    case Credential.Provided(className, parameters) =>
      val provider = ProviderClass.create(className, parameters)
      val provided = new ProvidedCredential(provider, parameters.values.toSeq)
      explained(provided, s"the class '$className'", None)
  }

  /** What the webhook of Azure sets in a pod. */
  private def fromEnvironment(option: String, variable: String): String =
    Option(Configuration.getGlobalConfiguration.get(variable)).filter(_.nonEmpty).getOrElse {
      throw EventHubsErrors.missingOption(
        s"eventhubs.auth.$option",
        s"Set it, or the environment variable $variable on ${Machine.name}."
      )
    }

  private def federatedToken(path: String): String = {
    val key = ConnectionOptions.FederatedTokenFile.key
    val bytes = Machine.read(path).fold(expected => throw EventHubsErrors.invalidOption(key, path, expected), identity)
    new String(bytes, UTF_8).trim
  }

  /** MSAL asks Microsoft's public cloud about an authority that it does not know, unless that is switched off. */
  private def at[B <: AadCredentialBuilderBase[B]](authority: Option[String], builder: B): B = {
    authority.foreach(builder.authorityHost)
    if (!AuthorityHost.isMicrosofts(AuthorityHost.of(authority))) builder.disableInstanceDiscovery()
    builder
  }

  private def withCertificate(builder: ClientCertificateCredentialBuilder, certificate: CertificateFile) = {
    val loaded =
      if (certificate.isPem) builder.pemCertificate(certificate.stream) else builder.pfxCertificate(certificate.stream)
    certificate.password.fold(loaded)(loaded.clientCertificatePassword).build()
  }

  private def service(authority: Option[String]): Option[String] = Some(AuthorityHost.of(authority))

  private def explained(credential: TokenCredential, who: String, service: Option[String]): TokenCredential =
    new ExplainedSignIn(credential, who, service)
}
