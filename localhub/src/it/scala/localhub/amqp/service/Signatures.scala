package localhub.amqp.service

import java.net.URLEncoder
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Base64
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec

import localhub.auth.SharedAccessPolicy

/** Shared access signatures for HTTP requests. */
private[service] object Signatures {

  def of(resource: String, policy: SharedAccessPolicy): String = {
    val encoded = URLEncoder.encode(resource, UTF_8)
    val expiry = System.currentTimeMillis / 1000 + 600
    val mac = Mac.getInstance("HmacSHA256")
    mac.init(new SecretKeySpec(policy.key.getBytes(UTF_8), "HmacSHA256"))
    val signed = Base64.getEncoder.encodeToString(mac.doFinal(s"$encoded\n$expiry".getBytes(UTF_8)))
    s"SharedAccessSignature sr=$encoded&sig=${URLEncoder.encode(signed, UTF_8)}&se=$expiry&skn=${policy.name}"
  }
}
