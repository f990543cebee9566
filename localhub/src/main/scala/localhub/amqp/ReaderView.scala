package localhub.amqp

/**
 * One open reader, as it was at the moment of asking.
 *
 * @param connection         which connection of the server, and the name (container id) that its client gave it
 * @param name               the link's name
 * @param epoch              owner level, when the reader wants to be the only one
 * @param nextSequenceNumber of the event that is sent to it next
 * @param credit             events that it is ready to take
 */
final case class ReaderView(
    hub: String,
    consumerGroup: String,
    partition: String,
    connection: String,
    name: String,
    epoch: Option[Long],
    nextSequenceNumber: Long,
    credit: Int
)
