package localhub.amqp.link

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.qpid.proton.amqp.messaging.Source
import org.apache.qpid.proton.amqp.{DescribedType, Symbol}
import org.apache.qpid.proton.engine.Link

import localhub.amqp.event.SelectorFilter
import localhub.amqp.server.AmqpFailure
import localhub.log.StartingPoint

/**
 * Settings in a reader's attach, besides the address.
 *
 * @param epoch      owner level of an exclusive reader
 * @param identifier the receiver name that the client set
 */
private[amqp] final case class ReaderRequest(
    start: StartingPoint,
    epoch: Option[Long],
    identifier: Option[String],
    wantsRuntimeMetrics: Boolean
)

private[amqp] object ReaderRequest {
  private val Epoch = Symbol.valueOf("com.microsoft:epoch")
  private val ReceiverName = Symbol.valueOf("com.microsoft:receiver-name")
  private val RuntimeMetric = Symbol.valueOf("com.microsoft:enable-receiver-runtime-metric")

  /** @param isReplicated whether the hub is geo-replicated */
  def of(link: Link, isReplicated: Boolean = false): Either[AmqpFailure, ReaderRequest] = {
    val properties = Option(link.getRemoteProperties).fold(Map.empty[Symbol, AnyRef])(_.asScala.toMap)
      .flatMap { case (name, value) => Option(value).map(name -> _) }
    for {
      start <- startingPoint(link, isReplicated)
      epoch <- properties.get(Epoch) match {
        case None => Right(None)
        case Some(number: Number) => Right(Some(number.longValue))
        case Some(other) =>
          Left(AmqpFailure.invalidArgument(s"The link property $Epoch is '$other'; expected a number."))
      }
    } yield ReaderRequest(
      start,
      epoch,
      properties.get(ReceiverName).map(_.toString),
      Option(link.getRemoteDesiredCapabilities).exists(_.contains(RuntimeMetric))
    )
  }

  private def startingPoint(link: Link, isReplicated: Boolean): Either[AmqpFailure, StartingPoint] =
    filters(link).partitionMap {
      case (_, SelectorFilter(expression)) => Right(expression)
      case (name, other) => Left(AmqpFailure.invalidFilterType(link.getName, name, typeOf(other)))
    } match {
      case (Seq(), Seq()) => Right(StartingPoint.Earliest)
      case (Seq(), Seq(expression)) =>
        SelectorFilter.parse(expression, isReplicated).left.map(AmqpFailure.invalidArgument)
      case (Seq(), several) =>
        Left(
          AmqpFailure.invalidArgument(s"A reader has one filter, not ${several.length}: '${several.mkString("', '")}'.")
        )
      case (wrong, _) => Left(wrong.head)
    }

  /** By AMQP 1.0, 3.5.8, an entry without a value is no filter. */
  private def filters(link: Link): Seq[(String, AnyRef)] = link.getRemoteSource match {
    case source: Source =>
      Option(source.getFilter).fold(Seq.empty[(String, AnyRef)])(_.asInstanceOf[JMap[AnyRef, AnyRef]].asScala.toSeq
        .collect { case (name, value) if value != null => (String.valueOf(name), value) })
    case _ => Seq.empty
  }

  private def typeOf(value: AnyRef): String = value match {
    case described: DescribedType => String.valueOf(described.getDescriptor)
    case _ => "a value without a descriptor"
  }
}
