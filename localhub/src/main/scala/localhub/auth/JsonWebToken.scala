package localhub.auth

import java.nio.charset.StandardCharsets.{US_ASCII, UTF_8}
import java.security.spec.{MGF1ParameterSpec, PSSParameterSpec}
import java.security.{GeneralSecurityException, PrivateKey, PublicKey, Signature}
import java.time.Instant
import java.util.Base64

import scala.util.Try

/** A signed JSON Web Token. Nothing of it may be believed before [[isSignedWith]] is true. */
private[localhub] final class JsonWebToken private (
    header: collection.Map[String, ujson.Value],
    claims: collection.Map[String, ujson.Value],
    signed: String,
    signature: Array[Byte]
) {

  def headerText(name: String): Option[String] = header.get(name).flatMap(_.strOpt)

  def text(name: String): Option[String] = claims.get(name).flatMap(_.strOpt)

  /** A time in seconds since 1970; None when it is missing or not a number. */
  def time(name: String): Option[Instant] =
    claims.get(name).flatMap(_.numOpt).flatMap(seconds => Try(Instant.ofEpochSecond(seconds.toLong)).toOption)

  def audiences: Seq[String] = claims.get("aud") match {
    case Some(ujson.Arr(all)) => all.toSeq.flatMap(_.strOpt)
    case one => one.flatMap(_.strOpt).toSeq
  }

  /** False also for an algorithm other than RS256 and PS256, such as `none`. */
  def isSignedWith(key: PublicKey): Boolean = headerText("alg").flatMap(JsonWebToken.verifier).exists { verifier =>
    try {
      verifier.initVerify(key)
      verifier.update(signed.getBytes(US_ASCII))
      verifier.verify(signature)
    } catch { case _: GeneralSecurityException => false }
  }
}

private[localhub] object JsonWebToken {

  /** Whether the text has the three parts of a token. */
  def isOne(text: String): Boolean = text.count(_ == '.') == 2 && !text.contains(' ')

  def parse(text: String): Option[JsonWebToken] = text.split("\\.", -1) match {
    case Array(header, claims, signature) =>
      for {
        readHeader <- read(header)
        readClaims <- read(claims)
        bytes <- decode(signature)
      } yield new JsonWebToken(readHeader, readClaims, s"$header.$claims", bytes)
    case _ => None
  }

  /** The token's text, signed with RS256. */
  def sign(keyId: String, claims: ujson.Obj, key: PrivateKey): String = {
    val header = ujson.Obj("typ" -> "JWT", "alg" -> "RS256", "kid" -> keyId, "x5t" -> keyId)
    val signed = s"${encode(ujson.write(header).getBytes(UTF_8))}.${encode(ujson.write(claims).getBytes(UTF_8))}"
    val signer = Signature.getInstance("SHA256withRSA")
    signer.initSign(key)
    signer.update(signed.getBytes(US_ASCII))
    s"$signed.${encode(signer.sign())}"
  }

  /** Base64 as JSON Web Tokens and their keys have it. */
  def encode(bytes: Array[Byte]): String = Base64.getUrlEncoder.withoutPadding.encodeToString(bytes)

  private def decode(text: String): Option[Array[Byte]] = Try(Base64.getUrlDecoder.decode(text)).toOption

  private def read(part: String): Option[collection.Map[String, ujson.Value]] =
    decode(part).flatMap(bytes => Try(ujson.read(bytes)).toOption).flatMap(_.objOpt)

  private def verifier(algorithm: String): Option[Signature] = algorithm match {
    case "RS256" => Some(Signature.getInstance("SHA256withRSA"))
    case "PS256" =>
      val pss = Signature.getInstance("RSASSA-PSS")
      pss.setParameter(new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, 32, 1))
      Some(pss)
    case _ => None
  }
}
