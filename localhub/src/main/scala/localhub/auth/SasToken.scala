package localhub.auth

import java.net.URLDecoder
import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.time.Instant
import java.util.Base64
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec

import scala.util.Try

/**
 * A shared access signature: `SharedAccessSignature sr=<resource>&sig=<signature>&se=<expiry>&skn=<policy>`.
 *
 * @param encodedResource the resource as it is in the token, because the signature covers this text
 */
private[localhub] final case class SasToken(
    encodedResource: String,
    signature: Array[Byte],
    expirySeconds: Long,
    policyName: String
) {

  /** @param host the server's name as the client wrote it */
  def resource(host: String): ResourcePath = ResourcePath.of(URLDecoder.decode(encodedResource, UTF_8), host)

  def expiresAt: Instant = Instant.ofEpochSecond(expirySeconds)

  def isSignedWith(key: String): Boolean = {
    val mac = Mac.getInstance("HmacSHA256")
    mac.init(new SecretKeySpec(key.getBytes(UTF_8), "HmacSHA256"))
    MessageDigest.isEqual(mac.doFinal(s"$encodedResource\n$expirySeconds".getBytes(UTF_8)), signature)
  }

  override def toString: String = s"SasToken($encodedResource,***,$expirySeconds,$policyName)"
}

private[localhub] object SasToken {
  private val Scheme = "SharedAccessSignature "

  def parse(text: String): Option[SasToken] =
    if (!text.startsWith(Scheme)) None
    else {
      val fields = text.drop(Scheme.length).split('&').flatMap(_.split("=", 2) match {
        case Array(name, value) => Some(name.trim -> value)
        case _ => None
      }).toMap
      for {
        resource <- fields.get("sr").filter(sr => Try(URLDecoder.decode(sr, UTF_8)).isSuccess)
        signature <-
          fields.get("sig").flatMap(sig => Try(Base64.getDecoder.decode(URLDecoder.decode(sig, UTF_8))).toOption)
        expiry <- fields.get("se").flatMap(_.toLongOption).filter(se => Try(Instant.ofEpochSecond(se)).isSuccess)
        policy <- fields.get("skn").flatMap(skn => Try(URLDecoder.decode(skn, UTF_8)).toOption)
      } yield SasToken(resource, signature, expiry, policy)
    }
}
