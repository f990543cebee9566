package localhub.amqp.server

import localhub.amqp.fault.FaultScope

/** The address of a link. SDKs write a bare path or a URL, whose scheme and host are ignored. */
private[amqp] sealed abstract class LinkAddress(val path: String) {

  /** Hub, consumer group and partition of the address, for matching faults. */
  def scope: FaultScope = path.split('/') match {
    case parts if !path.startsWith("$") =>
      FaultScope(
        parts.headOption,
        after("ConsumerGroups", parts),
        after("Partitions", parts)
      )
    case _ => FaultScope()
  }

  private def after(word: String, parts: Array[String]): Option[String] =
    parts.lift(parts.indexWhere(_.equalsIgnoreCase(word)) + 1).filter(_ => parts.exists(_.equalsIgnoreCase(word)))
}

private[amqp] object LinkAddress {
  case object Cbs extends LinkAddress("$" + "cbs")
  case object Management extends LinkAddress("$" + "management")
  final case class Hub(hub: String) extends LinkAddress(hub)
  final case class Partition(hub: String, partition: String) extends LinkAddress(s"$hub/Partitions/$partition")
  final case class Publisher(hub: String, publisher: String) extends LinkAddress(s"$hub/Publishers/$publisher")
  final case class GroupPartition(hub: String, consumerGroup: String, partition: String)
      extends LinkAddress(s"$hub/ConsumerGroups/$consumerGroup/Partitions/$partition")
  final case class Unknown(address: String) extends LinkAddress(address)

  def parse(address: String): LinkAddress = {
    val path = address.indexOf("://") match {
      case -1 => address
      case scheme => address.drop(scheme + 3).dropWhile(_ != '/')
    }
    path.split('/').filter(_.nonEmpty) match {
      case Array(Cbs.path) => Cbs
      case Array(Management.path) => Management
      case Array(hub) => Hub(hub)
      case Array(_, Management.path) => Management
      case Array(hub, word, id) if is(word, "Partitions") => Partition(hub, id)
      case Array(hub, word, name) if is(word, "Publishers") => Publisher(hub, name)
      case Array(hub, groups, group, word, id) if is(groups, "ConsumerGroups") && is(word, "Partitions") =>
        GroupPartition(hub, group, id)
      case parts => Unknown(parts.mkString("/"))
    }
  }

  private def is(word: String, expected: String): Boolean = word.equalsIgnoreCase(expected)
}
