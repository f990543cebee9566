package com.azure.messaging.eventhubs

import java.util.concurrent.TimeUnit
import java.util.{Map => JavaMap}

import com.azure.core.amqp.AmqpRetryOptions
import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpErrorContext, AmqpException}
import com.azure.core.amqp.implementation.{ExceptionUtil, ReactorConnectionCache, RetryUtil}
import com.azure.messaging.eventhubs.implementation.EventHubReactorAmqpConnection

import testkit.TestSuite

/** Conditions, transience and texts of the SDK's failures, by which the connector decides whether it retries. */
class SdkFailureTextsSuite extends TestSuite with SdkUpgrade {

  test("a closed connection fails with the text by which ProducerFailure knows it") {
    val cache = new ReactorConnectionCache[EventHubReactorAmqpConnection](
      () => fail("a closed connection is opened"),
      "contoso.example",
      "hub",
      RetryUtil.getRetryPolicy(new AmqpRetryOptions),
      JavaMap.of()
    )
    cache.dispose()
    val failed = intercept[Exception](cache.get().toFuture.get(30, TimeUnit.SECONDS)).getCause
    assert(
      failed.isInstanceOf[AmqpException] && failed.getMessage.contains("Connection recovery support is terminated"),
      upgrade(s"a closed connection fails with '$failed'", "ProducerFailure")
    )
  }

  private val context = new AmqpErrorContext("contoso.example")

  /** Condition as the service sends it, what the SDK makes of it, and whether that is transient. */
  private val conditions = Seq[(String, AmqpErrorCondition, Boolean)](
    ("com.microsoft:server-busy", AmqpErrorCondition.SERVER_BUSY_ERROR, true),
    ("com.microsoft:timeout", AmqpErrorCondition.TIMEOUT_ERROR, true),
    ("com.microsoft:operation-cancelled", AmqpErrorCondition.OPERATION_CANCELLED, false),
    ("amqp:link:detach-forced", AmqpErrorCondition.LINK_DETACH_FORCED, true),
    ("amqp:link:stolen", AmqpErrorCondition.LINK_STOLEN, false),
    ("amqp:unauthorized-access", AmqpErrorCondition.UNAUTHORIZED_ACCESS, false),
    ("amqp:resource-limit-exceeded", AmqpErrorCondition.RESOURCE_LIMIT_EXCEEDED, false),
    ("com.microsoft:argument-error", AmqpErrorCondition.ARGUMENT_ERROR, false)
  )

  conditions.foreach { case (sent, condition, isTransient) =>
    test(s"the condition $sent becomes ${condition.name} and keeps the service's text") {
      // Texts of the service, which SdkErrors and ProducerFailure look for.
      val text = "Please wait 4 seconds and try again. The last sequence number in the system is '4'"
      ExceptionUtil.toException(sent, text, context) match {
        case error: AmqpException =>
          assert(
            error.getErrorCondition == condition && error.isTransient == isTransient && error.getMessage.contains(text),
            upgrade(
              s"'$sent' becomes ${error.getErrorCondition}, transient ${error.isTransient}: '${error.getMessage}'",
              "SdkErrors"
            )
          )
        case other => fail(upgrade(s"'$sent' becomes $other", "SdkErrors"))
      }
    }
  }

  private def refused(code: Int): Exception = ExceptionUtil.amqpResponseCodeToException(code, "refused", context)

  test("a request refused with status 401 has the text by which SdkErrors knows it") {
    val text = refused(401).getMessage
    assert(text.contains("status-code: 401"), upgrade(s"status 401 becomes '$text'", "SdkErrors"))
  }

  test("a request refused with status 404 has the condition by which SdkErrors knows it") {
    refused(404) match {
      case error: AmqpException if error.getErrorCondition == AmqpErrorCondition.NOT_FOUND => ()
      case other => fail(upgrade(s"status 404 becomes $other", "SdkErrors"))
    }
  }
}
