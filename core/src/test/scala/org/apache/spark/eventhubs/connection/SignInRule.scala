package org.apache.spark.eventhubs.connection

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.concurrent.ConcurrentHashMap
import java.util.{Base64, UUID}

/** How a client of a [[ConnectProxy]] must sign in. */
sealed trait SignInRule {

  /** The value of `Proxy-Authenticate`. */
  def challenge(): String

  /** @param credentials the value of `Proxy-Authorization` */
  def admits(credentials: String): Boolean
}

/**
 * HTTP's Basic scheme.
 *
 * @param pair `user:password`
 */
final case class BasicSignIn(pair: String) extends SignInRule {
  override def challenge(): String = "Basic realm=\"test\""
  override def admits(credentials: String): Boolean =
    credentials == s"Basic ${Base64.getEncoder.encodeToString(pair.getBytes(UTF_8))}"
}

/** HTTP's Digest scheme with MD5 and `qop=auth`, as RFC 7616 describes it. Each nonce admits once. */
final case class DigestSignIn(username: String, password: String) extends SignInRule {

  import DigestSignIn._

  private val nonces = ConcurrentHashMap.newKeySet[String]()

  override def challenge(): String = {
    val nonce = UUID.randomUUID().toString
    nonces.add(nonce)
    s"""Digest realm="$Realm", qop="auth", nonce="$nonce", algorithm=MD5"""
  }

  override def admits(credentials: String): Boolean = credentials.startsWith("Digest ") && {
    val fields = Field.findAllMatchIn(credentials).map { found =>
      found.group(1) -> Option(found.group(2)).getOrElse(found.group(3))
    }.toMap
    def field(name: String): String = fields.getOrElse(name, "")
    val user = md5(s"$username:$Realm:$password")
    val request = md5(s"CONNECT:${field("uri")}")
    val parts = Seq(user, field("nonce"), field("nc"), field("cnonce"), field("qop"), request)
    field("username") == username && field("response") == md5(parts.mkString(":")) && nonces.remove(field("nonce"))
  }
}

object DigestSignIn {

  private val Realm = "test"
  private val Field = "(\\w+)=(?:\"([^\"]*)\"|([^,\\s]*))".r

  private def md5(text: String): String =
    MessageDigest.getInstance("MD5").digest(text.getBytes(UTF_8)).map(byte => f"$byte%02x").mkString
}
