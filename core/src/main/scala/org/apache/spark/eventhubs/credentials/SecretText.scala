package org.apache.spark.eventhubs.credentials

import org.apache.spark.eventhubs.{EventHubsErrors, PlainSecret, Secret}

/**
 * The value of a secret option: the secret itself, or in braces where it is kept: `{env:NAME}`, `{file:/path}` or
 * `{hadoop:alias}`. A secret that looks like this is written as `{text:<secret>}`. There is no dollar sign, because
 * Spark would then put an environment variable's value into its configuration.
 */
private[eventhubs] object SecretText {
  import SecretReference._

  val Expected = "the secret, or where it is kept: {env:NAME}, {file:/path} or {hadoop:alias} (or {text:<secret>}, " +
    "for a secret in braces)"

  private val Braces = """(?s)\{([A-Za-z][A-Za-z-]*):(.+)\}""".r

  /**
   * @param key the option, for errors
   * @return the secret, which is not read yet, or what was expected
   */
  def parse(key: String, text: String): Either[String, Secret] = text.trim match {
    case Braces("text", secret) => Right(PlainSecret(secret))
    case Braces("env", variable) => Right(ReferencedSecret(key, EnvironmentVariable(variable.trim)))
    case Braces("file", path) => Right(ReferencedSecret(key, FileContent(path.trim)))
    case Braces("hadoop", alias) => Right(ReferencedSecret(key, HadoopAlias(alias.trim)))
    case Braces(_, _) => Left(Expected)
    case _ => Right(PlainSecret(text))
  }

  /** Whether the text holds no secret, only where it is kept. */
  def isReference(text: String): Boolean = text.trim match {
    case Braces("env" | "file" | "hadoop", _) => true
    case _ => false
  }
}

/** A secret that is read where it is used: the plan, the tasks and the checkpoint hold only its place. */
private[eventhubs] final case class ReferencedSecret private[credentials] (key: String, reference: SecretReference)
    extends Secret {

  override def value: String = reference.read().fold(
    expected => throw EventHubsErrors.invalidOption(key, reference.text, expected),
    identity
  )
}
