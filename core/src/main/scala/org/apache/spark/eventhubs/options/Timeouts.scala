package org.apache.spark.eventhubs.options

import java.time.Duration

import org.apache.spark.eventhubs.EventHubsErrors

/**
 * The two waits of a reading query, which depend on each other: a silent receiver must be reopened before the operation is
 * over, so the one that a user sets moves the other's default.
 */
private[spark] final case class Timeouts(operation: Duration, receiver: Duration)

private[spark] object Timeouts {

  /** @param fromString the operation timeout of the connection string */
  def apply(options: ParsedOptions, fromString: Option[Duration]): Timeouts = {
    val operation = ConnectionOptions.OperationTimeout
    val receiver = ReadOptions.ReceiverTimeout
    (options.explicit(operation), options.explicit(receiver)) match {
      case (Some(longer), Some(shorter)) if longer.compareTo(shorter) >= 0 => Timeouts(longer, shorter)
      case (Some(whole), None) => Timeouts(whole, Seq(whole, options(receiver)).min)
      case (None, silence) =>
        val whole = fromString.getOrElse(options(operation))
        Timeouts((whole +: silence.toSeq).max, silence.getOrElse(Seq(whole, options(receiver)).min))
      case (Some(whole), Some(tooLong)) =>
        throw EventHubsErrors.conflictingOptions(
          s"'${receiver.key}' is $tooLong, longer than '${operation.key}', which is $whole",
          "A receiver must be reopened before the operation is over: make the first shorter or the second longer."
        )
    }
  }
}
