package localhub.amqp

package object engine {

  /** The frame size that the server announces, and the largest that it sends. */
  private[amqp] val MaxFrameSize = 65536

  /** The smallest limit that a peer may announce by the specification. */
  private[amqp] val MinMaxFrameSize = 512

  /** The highest handle of a session's links, as the service announces it. */
  private[amqp] val HandleMax = 255L

  private[amqp] val ChannelMax = 4999

  private[engine] val FrameHeaderSize = 8

  /** Second word of a frame: data offset 2, type AMQP; the channel is added. */
  private[engine] val AmqpFrame = 0x02000000
}
