package com.azure.messaging.eventhubs

import com.azure.messaging.eventhubs.models.EventPosition

/**
 * A position at an offset that begins with the event there. The SDK makes the service's filter for it and keeps the way to
 * such a position to itself; starting one number earlier is no way out, as offsets need not be numbers. The SDK is part
 * of our jar, in one version.
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
