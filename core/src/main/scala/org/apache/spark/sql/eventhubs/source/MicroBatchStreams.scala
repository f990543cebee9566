package org.apache.spark.sql.eventhubs.source

import scala.util.Try

import org.apache.spark.sql.connector.read.streaming.MicroBatchStream

/** Creates the V2 stream for the running Spark version: Real-Time Mode needs 4.1. */
private[eventhubs] object MicroBatchStreams {

  private val RealTimeMode = "org.apache.spark.sql.connector.read.streaming.SupportsRealTimeMode"
  private val RealTimeStream = "org.apache.spark.sql.eventhubs.realtime.EventHubsRealTimeStream"

  /** The jar for Spark 3.5 has no such stream, even if a vendor's 3.5 has the interface. */
  private[eventhubs] lazy val hasRealTimeMode: Boolean = Seq(RealTimeMode, RealTimeStream).forall { name =>
    Try(Class.forName(name, false, getClass.getClassLoader)).isSuccess
  }

  def apply(session: EventHubsStreamSession): MicroBatchStream =
    if (hasRealTimeMode)
      Class.forName(RealTimeStream).getConstructor(classOf[EventHubsStreamSession]).newInstance(session) match {
        case stream: MicroBatchStream => stream
        case other => throw new IllegalStateException(s"${other.getClass} is not a stream")
      }
    else new EventHubsMicroBatchStream(session)
}
