package localhub.auth

/** A role of Azure on Event Hubs, with the claims that it gives. */
sealed abstract class Role(val name: String, val claims: Set[Claim])

object Role {
  case object DataOwner extends Role("Azure Event Hubs Data Owner", Set(Claim.Listen, Claim.Send, Claim.Manage))
  case object DataSender extends Role("Azure Event Hubs Data Sender", Set(Claim.Send))
  case object DataReceiver extends Role("Azure Event Hubs Data Receiver", Set(Claim.Listen))

  case object SchemaReader extends Role("Schema Registry Reader (Preview)", Set(Claim.ReadSchemas))
  case object SchemaContributor
      extends Role("Schema Registry Contributor (Preview)", Set(Claim.ReadSchemas, Claim.WriteSchemas))

  val all: Seq[Role] = Seq(DataOwner, DataSender, DataReceiver, SchemaReader, SchemaContributor)

  private val Prefix = "Azure Event Hubs "
  private val Suffix = " (Preview)"

  /** @param name also without "Azure Event Hubs" and "(Preview)": `Data Sender`, `Schema Registry Reader` */
  def named(name: String): Option[Role] =
    all.find(role => Seq(name, Prefix + name, name + Suffix).exists(_.equalsIgnoreCase(role.name)))
}

/**
 * A role that an application has on the namespace, on one event hub, or on one consumer group of it.
 *
 * @param consumerGroup only with a hub
 */
final case class RoleAssignment(role: Role, hub: Option[String] = None, consumerGroup: Option[String] = None) {
  require(hub.nonEmpty || consumerGroup.isEmpty, "A role on a consumer group needs the name of the event hub.")

  private[localhub] def permission: Permission = {
    val group = consumerGroup.fold("")(name => s"/consumergroups/$name")
    Permission(hub.fold(ResourcePath.Namespace)(name => ResourcePath(name + group)), role.claims)
  }
}
