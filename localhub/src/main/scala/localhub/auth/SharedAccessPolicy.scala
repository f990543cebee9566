package localhub.auth

/** A claim that a policy grants, as the service names them. */
sealed trait Claim

object Claim {
  case object Listen extends Claim
  case object Send extends Claim
  case object Manage extends Claim

  /** Of roles only: in a policy, Manage includes these. */
  case object ReadSchemas extends Claim
  case object WriteSchemas extends Claim
}

/** A shared access policy: its name, its key, and what it allows. */
final case class SharedAccessPolicy(name: String, key: String, claims: Set[Claim]) {
  override def toString: String = s"SharedAccessPolicy($name,***,${claims.mkString("+")})"
}

object SharedAccessPolicy {

  /** The policy of the official emulator's connection string. Its "key" is a fixed word, not a secret. */
  val Root: SharedAccessPolicy =
    SharedAccessPolicy("RootManageSharedAccessKey", "SAS_KEY_VALUE", Set(Claim.Listen, Claim.Send, Claim.Manage))
}
