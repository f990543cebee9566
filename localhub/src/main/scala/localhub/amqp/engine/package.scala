package localhub.amqp

package object engine {

  /** What we announce, and the most that we send in one frame. */
  private[amqp] val MaxFrameSize = 65536

  /** The smallest limit that the specification lets a peer announce. */
  private[amqp] val MinMaxFrameSize = 512

  /** The highest handle of a session's links, as the service announces it. */
  private[amqp] val HandleMax = 255L

  private[amqp] val ChannelMax = 4999

  private[engine] val FrameHeaderSize = 8

  /** Second word of a frame: data offset 2, type AMQP; the channel is added. */
  private[engine] val AmqpFrame = 0x02000000
}
