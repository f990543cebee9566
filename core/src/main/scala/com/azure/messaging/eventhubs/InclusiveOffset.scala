package com.azure.messaging.eventhubs

import com.azure.messaging.eventhubs.models.EventPosition

/**
 * A position at an offset that includes the event there. The SDK supports it only through a private method. Offsets
 * need not be numbers, so the offset before cannot be computed. The connector's jar contains the SDK in one version.
 */
object InclusiveOffset {

  private lazy val fromOffsetString = {
    val method = classOf[EventPosition].getDeclaredMethod("fromOffsetString", classOf[String], classOf[Boolean])
    method.setAccessible(true)
    method
  }

  def apply(offset: String): EventPosition = fromOffsetString.invoke(null, offset, Boolean.box(true)) match {
    case position: EventPosition => position
    case other => throw new IllegalStateException(s"the position at an offset is $other")
  }
}
