package org.apache.spark.eventhubs.sim

/** How long messages take, and which of them are lost. */
private[spark] final class SimNetwork(world: World) {

  /** Nothing passes until this time. */
  var downUntil = 0L

  /** The service refuses because it is busy, until this time. */
  var busyUntil = 0L

  /** Answers to questions are lost, until this time. */
  var answersLostUntil = 0L

  /** Answers to questions take up to so long, until that time. */
  var slowestMillis = 0L
  var slowUntil = 0L

  def isDown: Boolean = world.now < downUntil
  def isBusy: Boolean = world.now < busyUntil && world.chance(0.7)
  def isAnswerLost: Boolean = isDown || world.now < answersLostUntil && world.chance(0.7)

  /** Links are served by replicas that are this far behind, until that time. */
  var linkLagMillis = 0L
  var linksLagUntil = 0L

  /** Whether the service answers AMQP's drain. */
  var answersDrain = true

  /** Links show the events that were stored until this time. */
  def visibleUntil: Long = if (world.now < linksLagUntil) world.now - linkLagMillis else world.now

  /** One way of a message. */
  def millis: Long = world.delay(1, 40)

  def openingMillis: Long = world.delay(5, 300)

  /** From the service's answer until the connector gets it. */
  def answerMillis: Long =
    if (world.now < slowUntil) world.between(0, slowestMillis) else world.delay(1, 80)
}
