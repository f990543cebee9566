package org.apache.spark.eventhubs.connection

import java.nio.ByteBuffer

import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpErrorContext, AmqpException}
import com.azure.core.amqp.implementation.ExceptionUtil
import com.microsoft.azure.proton.transport.proxy.impl.ProxyResponseImpl

import org.apache.spark.eventhubs.EventHubName
import testkit.TestSuite

/** What the SDK makes of management answers that have a status code and no error condition. */
class SdkErrorsSuite extends TestSuite {

  private def answer(status: Int, text: String): Throwable =
    ExceptionUtil.amqpResponseCodeToException(status, text, new AmqpErrorContext("contoso.servicebus.windows.net"))

  private val hub = EventHubName("contoso.servicebus.windows.net", "telemetry")

  private def condition(error: Throwable): String = SdkErrors.translate(error, hub, "asking").getCondition

  test("an answer of a busy service is throttling: it may pass, after the pause of a busy link") {
    // The SDK replaces the codes that it does not know by 306.
    Seq(503, 306).foreach { status =>
      val busy = answer(status, "The request was terminated because the entity is being throttled.")
      assert(SdkErrors.isServerBusy(busy) && SdkErrors.isTransient(busy), status)
      assert(condition(busy) == "EVENTHUBS_THROTTLED", status)
    }
    assert(!SdkErrors.isServerBusy(answer(500, "internal error")))
    assert(condition(answer(500, "internal error")) == "EVENTHUBS_SERVICE")
  }

  test("an answer that forbids is no link that is one too many: it is final") {
    val forbidden = answer(403, "Ip has been prevented to connect to the endpoint.")
    assert(!SdkErrors.isTooManyReceivers(forbidden) && !SdkErrors.isTransient(forbidden))
    assert(condition(forbidden) == "EVENTHUBS_AUTHENTICATION")
    assert(SdkErrors.isTooManyReceivers(SdkFailures.tooManyReceivers))
    assert(condition(SdkFailures.tooManyReceivers) == "EVENTHUBS_QUOTA_EXCEEDED")
  }

  test("an answer without permission, and one about an unknown hub, keep their conditions") {
    assert(condition(answer(401, "ExpiredToken: The token is expired.")) == "EVENTHUBS_AUTHENTICATION")
    assert(condition(answer(404, "The messaging entity 'sb://ns/hub' could not be found.")) == "EVENTHUBS_NOT_FOUND")
  }

  test("a message has the service's words and the id of its answer, and nothing of the SDK's link") {
    val words = "InvalidSignature: The token has an invalid signature."
    val ids = " TrackingId:3d60_G30, SystemTracker:gateway5, Timestamp:2020-05-27T05:01:11"
    val text = s"status-code: 401, status-description: $words$ids, errorContext[NAMESPACE: n. PATH: p, LINK_CREDIT: 0]"
    assert(SdkErrors.shown(new Exception(text)) == s"status 401: $words TrackingId:3d60_G30")
    assert(SdkErrors.shown(new Exception("no SharedAccessKey=a2V5 here")) == "no SharedAccessKey=*** here")
  }

  private def ofProxy(said: String): Throwable = ExceptionUtil.toException(
    "amqp:connection:framing-error",
    s"org.apache.qpid.proton.engine.TransportException: $said",
    new AmqpErrorContext("contoso.servicebus.windows.net")
  )

  /** The SDK's own object, as it appears in the text. */
  private def response(status: String) =
    ProxyResponseImpl.create(ByteBuffer.wrap(s"HTTP/1.1 $status\r\nConnection: close\r\n\r\n".getBytes))

  test("a proxy's refusal has its condition, and may pass because the SDK's text does not have the status") {
    Seq("502 Bad Gateway", "403 Forbidden").foreach { status =>
      Seq("", "User configuration error. Using non-matching proxy authentication.").foreach { before =>
        val refused = ofProxy(s"${before}Proxy connect request failed with error: ${response(status)}")
        assert(!refused.getMessage.contains(status.take(3)), "the text has the status, so a 4xx could be final")
        assert(condition(refused) == "EVENTHUBS_PROXY" && SdkErrors.isTransient(refused))
      }
    }
  }

  test("a proxy that opens the connection without the configured sign-in is final, and the error says what to do") {
    val refused = ofProxy("User configuration error. Using non-matching proxy authentication.")
    assert(condition(refused) == "EVENTHUBS_PROXY" && !SdkErrors.isTransient(refused))
    assert(SdkErrors.translate(refused, hub, "asking").getMessage.contains("asks for no sign-in"))
  }

  test("a proxy that closes the connection after the sign-in may pass") {
    val refused = ofProxy("Proxy server closed the connection.")
    assert(condition(refused) == "EVENTHUBS_PROXY" && SdkErrors.isTransient(refused))
  }

  test("a proxy that wants another sign-in than the SDK can give is final") {
    Seq("Negotiate;NTLM", "Digest realm=\"proxy\", qop=\"auth\"").foreach { challenges =>
      val refused = ofProxy(s"Proxy connect request failed with error: $challenges")
      assert(condition(refused) == "EVENTHUBS_PROXY" && !SdkErrors.isTransient(refused))
    }
  }

  test("a missing claim is named with the role that has it") {
    Seq("Listen" -> "Data Receiver", "Send" -> "Data Sender", "Manage" -> "Data Owner").foreach { case (claim, role) =>
      val said = s"Unauthorized access. '$claim' claim(s) are required to perform this operation. Resource: 'sb://c/t'."
      val refused = new AmqpException(false, AmqpErrorCondition.UNAUTHORIZED_ACCESS, said, new AmqpErrorContext("c"))
      assert(SdkErrors.translate(
        refused,
        hub,
        "asking"
      ).getMessage.contains(s"; the role 'Azure Event Hubs $role' has it"))
    }
  }
}
