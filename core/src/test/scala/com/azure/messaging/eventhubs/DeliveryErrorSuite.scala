package com.azure.messaging.eventhubs

import com.azure.core.amqp.exception.AmqpErrorCondition._
import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpErrorContext, AmqpException}

import testkit.TestSuite

/** Which errors of the SDK are the service's answer to a delivery. */
class DeliveryErrorSuite extends TestSuite {

  private val answers = Seq(SERVER_BUSY_ERROR, INTERNAL_ERROR, RESOURCE_LIMIT_EXCEEDED)

  private def failed(condition: AmqpErrorCondition, isTransient: Boolean = true) =
    new AmqpException(
      isTransient,
      condition,
      "Please wait 4 seconds and try again.",
      new AmqpErrorContext("ns.example")
    )

  private def meaning(error: Throwable, isClosed: Boolean, isLate: Boolean): AmqpException =
    SdkConnection.deliveryError(error, isClosed, isLate) match {
      case amqp: AmqpException => amqp
      case other => fail(other)
    }

  test("over an open link and in time, an error is the answer") {
    answers.map(failed(_)).foreach(error => assert(meaning(error, isClosed = false, isLate = false) eq error))
  }

  test("the reason for which the service closed a link is no answer, but its text stays") {
    answers.map(failed(_)).foreach { error =>
      val meant = meaning(error, isClosed = true, isLate = false)
      assert(meant.getErrorCondition == LINK_DETACH_FORCED && meant.isTransient)
      assert(meant.getMessage.contains("Please wait 4 seconds"))
    }
  }

  test("the last rejection of a link is no answer to a delivery whose time is over") {
    answers.map(failed(_)).foreach { error =>
      val meant = meaning(error, isClosed = false, isLate = true)
      assert(meant.getErrorCondition == TIMEOUT_ERROR && meant.isTransient)
    }
  }

  test("a link that was closed for lack of a claim keeps its error") {
    val refused = failed(UNAUTHORIZED_ACCESS, isTransient = false)
    assert(meaning(refused, isClosed = true, isLate = true) eq refused)
  }
}
