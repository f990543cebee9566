package org.apache.spark.eventhubs.options

import java.time.Duration

import org.apache.spark.eventhubs.EventHubsErrors

/**
 * The two timeouts of a query that reads. A silent receiver must be reopened before the operation timeout. Therefore
 * the timeout that a user sets changes the default of the other.
 */
private[eventhubs] final case class ReadTimeouts(operation: Duration, receiver: Duration)

private[eventhubs] object ReadTimeouts {

  /** @param fromString the operation timeout of the connection string */
  def parse(options: ParsedOptions, fromString: Option[Duration]): ReadTimeouts = {
    val operationOption = ConnectionOptions.OperationTimeout
    val receiverOption = ReadOptions.ReceiverTimeout
    (options.explicit(operationOption), options.explicit(receiverOption)) match {
      case (Some(operation), Some(receiver)) if operation.compareTo(receiver) >= 0 => ReadTimeouts(operation, receiver)
      case (Some(operation), None) => ReadTimeouts(operation, Seq(operation, options(receiverOption)).min)
      case (None, receiver) =>
        val operation = fromString.getOrElse(options(operationOption))
        ReadTimeouts(
          (operation +: receiver.toSeq).max,
          receiver.getOrElse(Seq(operation, options(receiverOption)).min)
        )
      case (Some(operation), Some(receiver)) =>
        throw EventHubsErrors.conflictingOptions(
          s"'${receiverOption.key}' is $receiver, longer than '${operationOption.key}', which is $operation",
          "A receiver must be reopened before the operation timeout: lower the first or raise the second."
        )
    }
  }
}
