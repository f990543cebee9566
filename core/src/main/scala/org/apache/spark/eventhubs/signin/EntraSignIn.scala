package org.apache.spark.eventhubs.signin

import com.azure.core.credential.TokenCredential
import com.azure.core.util.Configuration
import com.azure.identity.{
  AadCredentialBuilderBase,
  ClientCertificateCredentialBuilder,
  ClientSecretCredentialBuilder,
  DefaultAzureCredentialBuilder,
  ManagedIdentityCredentialBuilder,
  WorkloadIdentityCredentialBuilder
}

import org.apache.spark.eventhubs.credentials.{CertificateFile, Machine, ProviderClass}
import org.apache.spark.eventhubs.{Credential, EventHubsErrors}

/** The Azure SDK's credential for each way to sign in with Microsoft Entra ID. Its failures are explained. */
private[eventhubs] object EntraSignIn {

  private val shared = new SharedCredentials

  /** Equal credentials share one object of the SDK, which caches tokens, in each JVM. */
  def of(credential: Credential.Entra, network: SignInNetwork): TokenCredential =
    shared.of((credential, network))(create(credential, network))

  private def create(credential: Credential.Entra, network: SignInNetwork): TokenCredential = credential match {
    case Credential.ClientSecret(tenant, client, secret, authority) =>
      def builder =
        at(authority, network.configure(new ClientSecretCredentialBuilder)).tenantId(tenant).clientId(client)
      val application = new Rebuilt(() => secret.value)(current => builder.clientSecret(current).build())
      explained(application, s"application '$client' in tenant '$tenant'", service(authority))
    case Credential.ClientCertificate(tenant, client, file, password, authority) =>
      def builder =
        at(authority, network.configure(new ClientCertificateCredentialBuilder)).tenantId(tenant).clientId(client)
      val application = new Rebuilt(() => CertificateFile.read(file, password))(withCertificate(builder, _))
      explained(application, s"application '$client' in tenant '$tenant' with a certificate", service(authority))
    case Credential.ManagedIdentity(client) =>
      val identity = network.connect(new ManagedIdentityCredentialBuilder)
      val who = client.fold("the system-assigned managed identity")(id => s"the managed identity '$id'")
      explained(client.fold(identity)(identity.clientId).build(), who, None)
    case Credential.WorkloadIdentity(tenant, client, file, authority) =>
      Seq("tenantId" -> tenant, "clientId" -> client, "federatedTokenFile" -> file)
        .filter(_._2.isEmpty).foreach { case (option, _) => checkEnvironment(option) }
      val identity = at(authority, network.configure(new WorkloadIdentityCredentialBuilder))
      tenant.foreach(identity.tenantId)
      client.foreach(identity.clientId)
      file.foreach(path => identity.tokenFilePath(Machine.file(path).toString))
      val application = client.fold("the workload identity")(id => s"the workload identity '$id'")
      explained(identity.build(), tenant.fold(application)(id => s"$application in tenant '$id'"), service(authority))
    case Credential.DefaultAzure(authority) =>
      val chain = network.connect(new DefaultAzureCredentialBuilder)
      authority.foreach(chain.authorityHost)
      if (!AuthorityHost.isMicrosofts(AuthorityHost.of(authority))) chain.disableInstanceDiscovery()
      explained(chain.build(), "the Azure identity of this machine", authority)
    case Credential.Provided(className, parameters) =>
      val provided = new ProvidedCredential(ProviderClass.create(className, parameters))
      explained(provided, s"the class '$className'", None)
  }

  /** Otherwise the SDK throws an IllegalArgumentException. */
  private def checkEnvironment(option: String): Unit = {
    val variable = Map(
      "tenantId" -> Configuration.PROPERTY_AZURE_TENANT_ID,
      "clientId" -> Configuration.PROPERTY_AZURE_CLIENT_ID
    ).getOrElse(option, "AZURE_FEDERATED_TOKEN_FILE")
    if (!Configuration.getGlobalConfiguration.contains(variable))
      throw EventHubsErrors.missingOption(
        s"eventhubs.auth.$option",
        s"Set it, or the environment variable $variable on ${Machine.name}."
      )
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
