package org.apache.spark.eventhubs.credentials

import java.io.{ByteArrayInputStream, InputStream}
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.security.{KeyStore, UnrecoverableKeyException}
import java.util.Arrays

import scala.jdk.CollectionConverters._
import scala.util.{Failure, Success, Try}

import org.apache.spark.eventhubs.{EventHubsErrors, EventHubsException, Secret}

/**
 * A certificate with its private key, as a PEM or PFX (PKCS #12) file holds it now.
 *
 * @param password of a PFX file
 */
private[eventhubs] final class CertificateFile private (private val bytes: Array[Byte], val password: Option[String]) {

  def isPem: Boolean = CertificateFile.isPem(bytes)

  def stream: InputStream = new ByteArrayInputStream(bytes)

  override def equals(other: Any): Boolean = other match {
    case file: CertificateFile => Arrays.equals(bytes, file.bytes) && password == file.password
    case _ => false
  }

  override def hashCode: Int = Arrays.hashCode(bytes)
}

private[eventhubs] object CertificateFile {

  val PathKey = "eventhubs.auth.certificatePath"
  val PasswordKey = "eventhubs.auth.certificatePassword"

  /** @throws EventHubsException EVENTHUBS_INVALID_OPTION for a file that cannot be used, or a wrong password */
  def read(path: String, password: Option[Secret]): CertificateFile = {
    val bytes = Machine.read(path).fold(expected => throw invalid(path, expected), identity)
    val secret = password.map(_.value)
    if (isPem(bytes)) checkPem(path, bytes, secret) else checkPfx(path, bytes, secret)
    new CertificateFile(bytes, secret)
  }

  private def isPem(bytes: Array[Byte]): Boolean = new String(bytes, ISO_8859_1).contains("-----BEGIN ")

  private def checkPem(path: String, bytes: Array[Byte], password: Option[String]): Unit = {
    val text = new String(bytes, ISO_8859_1)
    if (text.contains("ENCRYPTED"))
      throw invalid(path, "a PEM file whose private key is not encrypted, or a PFX file")
    if (!text.contains("PRIVATE KEY-----") || !text.contains("-----BEGIN CERTIFICATE-----"))
      throw invalid(path, "a PEM file with a certificate and its private key")
    if (password.isDefined)
      throw EventHubsErrors.conflictingOptions(
        s"'$PasswordKey' is set and '$PathKey' is a PEM file, which has no password",
        "Remove the password, or use a PFX file."
      )
  }

  private def checkPfx(path: String, bytes: Array[Byte], password: Option[String]): Unit = {
    val store = KeyStore.getInstance("PKCS12")
    Try(store.load(new ByteArrayInputStream(bytes), password.getOrElse("").toCharArray)) match {
      case Success(_) =>
        if (!store.aliases.asScala.exists(store.isKeyEntry))
          throw invalid(path, "a PFX file with a certificate and its private key")
      case Failure(failed) if isWrongPassword(failed) =>
        throw password.fold(EventHubsErrors.missingOption(PasswordKey, s"The file '$path' needs its password."))(_ =>
          EventHubsErrors.invalidOption(PasswordKey, "***", s"the password of the file '$path'")
        )
      case Failure(_) => throw invalid(path, "a PEM or PFX file with a certificate and its private key")
    }
  }

  private def isWrongPassword(failed: Throwable): Boolean = failed.getCause.isInstanceOf[UnrecoverableKeyException]

  private def invalid(path: String, expected: String): EventHubsException =
    EventHubsErrors.invalidOption(PathKey, path, expected)
}
