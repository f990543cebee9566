package org.apache.spark.eventhubs.send

import scala.collection.mutable

import com.azure.core.amqp.exception.{AmqpErrorCondition, AmqpException}

/** A service that fails some sends, with the SDK's errors. */
trait ScriptedService {

  protected val none = Option.empty[com.azure.core.amqp.exception.AmqpErrorContext].orNull
  protected val dropped = new AmqpException(true, AmqpErrorCondition.LINK_DETACH_FORCED, "detached", none)
  protected val unauthorized = new AmqpException(false, AmqpErrorCondition.UNAUTHORIZED_ACCESS, "no Send claim", none)
  protected def busy(seconds: Int) = new AmqpException(
    true,
    AmqpErrorCondition.SERVER_BUSY_ERROR,
    s"The request was terminated because the namespace is being throttled. Please wait $seconds seconds and try again.",
    none
  )

  /** Fails the sends that `script` names by number, counted from 1, and confirms the others. */
  protected def scripted(script: Map[Int, Throwable], delivered: mutable.Buffer[String] = mutable.Buffer.empty) = {
    var number = 0
    new FakeProducer(
      4,
      { send =>
        number += 1
        script.get(number) match {
          case Some(error) => send.fail(error)
          case None =>
            delivered ++= send.batch.bodies
            send.confirm()
        }
      }
    )
  }
}
