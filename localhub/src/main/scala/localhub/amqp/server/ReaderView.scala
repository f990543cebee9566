package localhub.amqp.server

/**
 * A snapshot of an open reader.
 *
 * @param connection         number of the connection and the client's container id
 * @param name               the link's name
 * @param epoch              owner level of an exclusive reader
 * @param nextSequenceNumber sequence number of the next event to send
 * @param credit             link credit
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
