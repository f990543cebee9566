package localhub.schemas

/** Why the registry refuses a request. Texts that public reports show are the service's. */
sealed abstract class SchemaRefusal(val message: String)

private[localhub] object SchemaRefusal {
  final case class NoGroup(group: String)
      extends SchemaRefusal(
        s"Schema group $group does not exist. Create it with --schema-group $group, or PUT /schema-groups/$group."
      )
  final case class NoSchema(group: String, name: String) extends SchemaRefusal(s"Schema $group/$name does not exist.")
  final case class NoVersion(group: String, name: String, version: Int)
      extends SchemaRefusal(s"Schema $group/$name/ver.$version does not exist.")
  final case class NoId(id: String) extends SchemaRefusal(s"Schema id $id does not exist.")
  final case class InvalidName(name: String)
      extends SchemaRefusal(
        s"'${name.take(SchemaRegistry.MaxName)}' cannot be the name of a schema: it has 1 to ${SchemaRegistry.MaxName} " +
          "characters, begins with a letter or a digit, and has none of \\ / $ :"
      )
  final case class InvalidSchema(problem: String) extends SchemaRefusal(s"Json schema validation failed: $problem")
  final case class OtherFormat(format: SchemaFormat, group: SchemaGroupConfig)
      extends SchemaRefusal(
        s"SubCode=41500, The messaging entity 'Schema of type $format cannot be created within group '${group.name}' " +
          s"that supports ${group.format} schema type.' could not be found. To know more visit " +
          "https://aka.ms/sbResourceMgrExceptions. ."
      )
  final case class Full(group: String, name: String, limit: String)
      extends SchemaRefusal(s"SubCode=40300, Cannot create schema $name in group $group because $limit.")
}
