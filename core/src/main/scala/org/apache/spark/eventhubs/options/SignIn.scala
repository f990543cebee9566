package org.apache.spark.eventhubs.options

import org.apache.spark.eventhubs.{Credential, EventHubsErrors, Secret}

/** The values of `eventhubs.auth.type`, each with the options that it takes. */
sealed abstract class SignIn(val word: String)

private[spark] object SignIn {
  import ConnectionOptions.{AuthType, ClientId, SasToken, TenantId}

  case object Sas extends SignIn("sas")
  case object ClientSecret extends SignIn("clientSecret")
  case object ManagedIdentity extends SignIn("managedIdentity")
  case object WorkloadIdentity extends SignIn("workloadIdentity")
  case object Default extends SignIn("default")

  /** Options of which some need a way to sign in to go with. */
  private val all = Seq(TenantId, ClientId, ConnectionOptions.ClientSecret, SasToken)

  private def taken(signIn: SignIn): Seq[EventHubsOption[String]] = signIn match {
    case Sas => Seq(SasToken)
    case ClientSecret => Seq(TenantId, ClientId, ConnectionOptions.ClientSecret)
    case ManagedIdentity => Seq(ClientId)
    case WorkloadIdentity => Seq(TenantId, ClientId)
    case Default => Nil
  }

  /**
   * @param fromString the credential of the connection string, if there is one
   * @throws EventHubsException when there is no credential, or two
   */
  def credential(options: ParsedOptions, fromString: Option[Credential]): Credential = {
    val chosen = options.get(AuthType).orElse(Option.when(options.isSet(SasToken))(Sas))
    all.filter(options.isSet).find(option => !chosen.exists(taken(_).contains(option))).foreach { option =>
      throw chosen.fold(missingType)(signIn =>
        EventHubsErrors.conflictingOptions(
          s"'${option.key}' is set and '${AuthType.key}' is '${signIn.word}', which does not use it",
          "Remove it, or choose the type that it is for."
        )
      )
    }
    (chosen, fromString) match {
      case (None, Some(credential)) => credential
      case (Some(Sas), Some(credential)) if !options.isSet(SasToken) => credential
      case (None, None) => throw missingType
      case (Some(signIn), None) => fromOptions(signIn, options)
      case (Some(signIn), Some(_)) =>
        throw EventHubsErrors.conflictingOptions(
          s"'${ConnectionOptions.ConnectionString.key}' has a key and '${AuthType.key}' is '${signIn.word}'",
          "Remove the key from the connection string (Endpoint and EntityPath are enough), or remove the 'eventhubs.auth' options."
        )
    }
  }

  private def fromOptions(signIn: SignIn, options: ParsedOptions): Credential = {
    def needed(option: EventHubsOption[String]): String = options.get(option).getOrElse {
      throw EventHubsErrors.missingOption(option.key, s"'${AuthType.key}' = '${signIn.word}' needs it.")
    }
    signIn match {
      case Sas => Credential.SharedAccessSignature(Secret(needed(SasToken)))
      case ClientSecret =>
        Credential.ClientSecret(needed(TenantId), needed(ClientId), Secret(needed(ConnectionOptions.ClientSecret)))
      case ManagedIdentity => Credential.ManagedIdentity(options.get(ClientId))
      case WorkloadIdentity => Credential.WorkloadIdentity(options.get(TenantId), options.get(ClientId))
      case Default => Credential.DefaultAzure
    }
  }

  private def missingType = EventHubsErrors.missingOption(
    AuthType.key,
    "Set it to 'clientSecret', 'managedIdentity', 'workloadIdentity', 'default' or 'sas', or give a connection string with a key."
  )
}
