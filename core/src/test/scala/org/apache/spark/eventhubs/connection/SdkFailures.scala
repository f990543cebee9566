package org.apache.spark.eventhubs.connection

import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpErrorContext, AmqpException}

/** Failures as the SDK reports them. */
object SdkFailures {
  private val context = new AmqpErrorContext("contoso.servicebus.windows.net")

  val detached = failure(transient = true, AmqpErrorCondition.LINK_DETACH_FORCED, "the link was detached")
  val busy = failure(transient = true, AmqpErrorCondition.SERVER_BUSY_ERROR, "the server is busy, wait 4 seconds")
  val stolen =
    failure(transient = false, AmqpErrorCondition.LINK_STOLEN, "New receiver 'nil' with higher epoch of '1' is created")
  val unauthorized = failure(transient = false, AmqpErrorCondition.UNAUTHORIZED_ACCESS, "'Listen' claim is required")
  val tooManyReceivers =
    failure(transient = false, AmqpErrorCondition.RESOURCE_LIMIT_EXCEEDED, "the maximum of 5 receivers was exceeded")

  val notFound = failure(transient = false, AmqpErrorCondition.NOT_FOUND, "the event hub was deleted")

  /** The service's error for a sequence number after the end of the partition. */
  val beyondEnd = failure(
    transient = false,
    AmqpErrorCondition.ARGUMENT_ERROR,
    "The supplied sequence number '10' is invalid. The last sequence number in the system is '4'"
  )
  val wrongArgument = failure(transient = false, AmqpErrorCondition.ARGUMENT_ERROR, "the filter is not understood")

  private def failure(transient: Boolean, condition: AmqpErrorCondition, text: String): AmqpException =
    new AmqpException(transient, condition, text, context)
}
