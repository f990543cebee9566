package org.apache.spark.eventhubs.proxy

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.{Base64, Locale, UUID}

import org.apache.spark.eventhubs.options.{ProxyScheme, ProxySignIn}

/** The header `Proxy-Authorization` of a request for a tunnel (RFC 7617 Basic, RFC 7616 Digest). */
private[proxy] object ProxyAuthorization {

  private val Parameter = """(\w+)=(?:"([^"]*)"|([^\s,]+))""".r

  /** Digest's names of algorithms, and Java's. */
  private val Algorithms = Map("MD5" -> "MD5", "SHA-256" -> "SHA-256")

  /**
   * @param challenges the values of the proxy's `Proxy-Authenticate`
   * @param target     host and port of the tunnel
   * @return the header's value; None for a proxy that does not ask for the scheme
   */
  def of(signIn: ProxySignIn, challenges: Seq[String], target: String): Option[String] = signIn.scheme match {
    case ProxyScheme.Basic =>
      val pair = s"${signIn.username}:${signIn.password.value}".getBytes(UTF_8)
      Some(s"Basic ${Base64.getEncoder.encodeToString(pair)}")
    case ProxyScheme.Digest =>
      challenges.filter(_.toLowerCase(Locale.ROOT).startsWith("digest ")).map(parameters).flatMap(digest(
        signIn,
        _,
        target
      )).headOption
  }

  private def parameters(challenge: String): Map[String, String] = Parameter.findAllMatchIn(challenge).map { found =>
    found.group(1).toLowerCase(Locale.ROOT) -> Option(found.group(2)).getOrElse(found.group(3))
  }.toMap

  private def digest(signIn: ProxySignIn, of: Map[String, String], target: String): Option[String] =
    for {
      realm <- of.get("realm")
      nonce <- of.get("nonce")
      algorithm <- Algorithms.get(of.getOrElse("algorithm", "MD5").toUpperCase(Locale.ROOT))
    } yield {
      def hash(parts: String*): String =
        MessageDigest.getInstance(algorithm).digest(parts.mkString(":").getBytes(UTF_8)).map(b => f"$b%02x").mkString
      val secret = hash(signIn.username, realm, signIn.password.value)
      val request = hash("CONNECT", target)
      val own = UUID.randomUUID.toString.replace("-", "")
      val count = "00000001"
      val isQualified = of.get("qop").exists(_.split(",").map(_.trim).contains("auth"))
      val response =
        if (isQualified) hash(secret, nonce, count, own, "auth", request) else hash(secret, nonce, request)
      val quoted = Seq("username" -> signIn.username, "realm" -> realm, "nonce" -> nonce, "uri" -> target) ++
        Seq("response" -> response) ++ of.get("opaque").map("opaque" -> _)
      val plain = of.get("algorithm").map("algorithm" -> _) ++
        (if (isQualified) Seq("qop" -> "auth", "nc" -> count) else Nil)
      val all = quoted.map { case (name, value) => s"""$name="$value"""" } ++
        plain.map { case (name, value) => s"$name=$value" } ++ (if (isQualified) Seq(s"""cnonce="$own"""") else Nil)
      all.mkString("Digest ", ", ", "")
    }
}
