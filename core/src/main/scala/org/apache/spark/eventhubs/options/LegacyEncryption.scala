package org.apache.spark.eventhubs.options

import java.nio.charset.StandardCharsets.UTF_8
import java.util.Base64
import javax.crypto.spec.{PBEKeySpec, SecretKeySpec}
import javax.crypto.{Cipher, SecretKeyFactory}

import scala.util.Try

/**
 * Decrypts connection strings that `EventHubsUtils.encrypt` of the legacy connector 2.3.22 encrypted. The key is the
 * connector's version number, so it protects nothing. Users have stored such values.
 */
private[eventhubs] object LegacyEncryption {

  private val Version = "2.3.22"
  private val Iterations = 1000
  private val KeyBits = 256

  // Lazy, because key derivation takes milliseconds and most users never need it.
  private lazy val key = {
    val spec = new PBEKeySpec(Version.toCharArray, Version.getBytes(UTF_8), Iterations, KeyBits)
    new SecretKeySpec(SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded, "AES")
  }

  /** True for pure Base64, which a connection string never is. */
  def looksEncrypted(text: String): Boolean = text.matches("[A-Za-z0-9+/\\s]{24,}={0,2}")

  /** @return None if the legacy connector 2.3.22 did not encrypt the text */
  def decrypt(text: String): Option[String] = Try {
    val cipher = Cipher.getInstance("AES/ECB/PKCS5Padding")
    cipher.init(Cipher.DECRYPT_MODE, key)
    new String(cipher.doFinal(Base64.getMimeDecoder.decode(text)), UTF_8)
  }.toOption
}
