package localhub.schemas

import localhub.InvalidHubException

/**
 * A group of schemas in one format. Upper and lower case are equal in its name.
 *
 * @throws InvalidHubException when the name breaks a rule of the service
 */
final case class SchemaGroupConfig(name: String, format: SchemaFormat = SchemaFormat.Avro) {
  if (name.length > SchemaGroupConfig.MaxName || !name.matches("[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?"))
    throw new InvalidHubException(
      s"'${name.take(60)}' cannot be the name of a schema group: use up to ${SchemaGroupConfig.MaxName} letters, " +
        "digits, '.', '-' and '_', with a letter or digit first and last."
    )
}

object SchemaGroupConfig {
  private val MaxName = 50

  /** Creates a configuration in Java, which has no default arguments. */
  def of(name: String, format: SchemaFormat): SchemaGroupConfig = SchemaGroupConfig(name, format)
}
