package localhub.authority

import java.math.BigInteger
import java.security.interfaces.RSAPublicKey
import java.security.{KeyPairGenerator, MessageDigest, PublicKey}

import localhub.auth.JsonWebToken

/** An RSA key that signs tokens, with its id. */
private[authority] final class SigningKey {
  private val pair = {
    val generator = KeyPairGenerator.getInstance("RSA")
    generator.initialize(2048)
    generator.generateKeyPair()
  }

  val id: String = JsonWebToken.encode(MessageDigest.getInstance("SHA-1").digest(pair.getPublic.getEncoded))

  def publicKey: PublicKey = pair.getPublic

  def sign(claims: ujson.Obj): String = JsonWebToken.sign(id, claims, pair.getPrivate)

  /** The public half, as an entry of a key set. */
  def toJson: ujson.Obj = {
    val key = pair.getPublic.asInstanceOf[RSAPublicKey]
    ujson.Obj(
      "kty" -> "RSA",
      "use" -> "sig",
      "kid" -> id,
      "x5t" -> id,
      "alg" -> "RS256",
      "n" -> unsigned(key.getModulus),
      "e" -> unsigned(key.getPublicExponent)
    )
  }

  private def unsigned(number: BigInteger): String = JsonWebToken.encode(number.toByteArray.dropWhile(_ == 0))
}
