package com.azure.messaging.eventhubs

import java.util.{Collections, Map => JavaMap, WeakHashMap}

import org.apache.qpid.proton.amqp.messaging.AmqpValue
import org.apache.qpid.proton.message.Message

/**
 * The SDK's serializer, which also keeps the epoch of a partition's last event. A geo-replicated hub answers with it,
 * and the SDK drops it.
 */
private final class PartitionEpochs extends EventHubMessageSerializer {

  /** Weak, because nobody has to take an epoch. The SDK's class compares by identity. */
  private val epochs = Collections.synchronizedMap(new WeakHashMap[PartitionProperties, Integer])

  def of(answer: PartitionProperties): Option[Int] = Option(epochs.get(answer)).map(_.intValue)

  override def deserialize[T](message: Message, wanted: Class[T]): T = {
    val answer = super.deserialize(message, wanted)
    (answer, message.getBody) match {
      case (partition: PartitionProperties, value: AmqpValue) => keep(partition, value.getValue)
      case _ => ()
    }
    answer
  }

  private def keep(partition: PartitionProperties, body: Any): Unit = body match {
    case fields: JavaMap[_, _] =>
      fields.get(PartitionEpochs.Field) match {
        case epoch: Number => epochs.put(partition, epoch.intValue); ()
        case _ => ()
      }
    case _ => ()
  }
}

private object PartitionEpochs {
  private val Field = "last_enqueued_sequence_number_epoch"
}
