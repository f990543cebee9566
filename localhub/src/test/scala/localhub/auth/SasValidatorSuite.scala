package localhub.auth

import java.net.URLEncoder
import java.nio.charset.StandardCharsets.UTF_8
import java.time.Clock
import java.util.Base64
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec

import testkit.TestSuite

class SasValidatorSuite extends TestSuite {

  private val policy = SharedAccessPolicy.Root
  private val validator = new SasValidator(Seq(policy), Clock.systemUTC())

  private def decide(resource: String, expiry: String): Either[AuthFailure, Grant] = {
    val mac = Mac.getInstance("HmacSHA256")
    mac.init(new SecretKeySpec(policy.key.getBytes(UTF_8), "HmacSHA256"))
    val signature = Base64.getEncoder.encodeToString(mac.doFinal(s"$resource\n$expiry".getBytes(UTF_8)))
    val token =
      s"SharedAccessSignature sr=$resource&sig=${URLEncoder.encode(signature, UTF_8)}&se=$expiry&skn=${policy.name}"
    validator.authorize(token, "sb://localhost/hub1", "localhost")
  }

  test("a signed token whose resource or expiry cannot be read is malformed, not a defect of the hub") {
    assert(decide("sb%3A%2F%2Flocalhost%2Fhub1", "4000000000").isRight)
    Seq("sb%3A%2F%2Flocalhost%2Fhub1%" -> "4000000000", "%zz" -> "4000000000", "hub1" -> s"${Long.MaxValue}").foreach {
      case (resource, expiry) => assert(decide(resource, expiry) == Left(AuthFailure.Malformed), s"$resource $expiry")
    }
  }
}
