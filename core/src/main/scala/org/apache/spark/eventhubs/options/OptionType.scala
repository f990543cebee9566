package org.apache.spark.eventhubs.options

import java.net.URI
import java.time.Duration
import java.util.Locale
import java.util.regex.{Pattern, PatternSyntaxException}

import scala.util.Try

import org.apache.spark.eventhubs.{EventPosition, PartitionPositions, PositionJson, PositionParser}

/** The type of an option's value: its parser, its bounds and its description in errors. */
private[eventhubs] sealed abstract class OptionType[A] {

  /** One word for tables of options. */
  def name: String

  /** Continues "expected" in an error. */
  def expected: String

  /** @return the value, or the expected form, which may be more specific than [[expected]] */
  def parse(text: String): Either[String, A]

  def render(value: A): String = value.toString

  /** What a user wrote, for logs and errors. */
  def shown(text: String): String = text

  /** Bounds of numbers, both inclusive. */
  def minimum: Option[Long] = None
  def maximum: Option[Long] = None
}

private[eventhubs] object OptionType {

  case object Text extends OptionType[String] {
    val name = "text"
    val expected = "some text"
    def parse(text: String): Either[String, String] = Either.cond(text.trim.nonEmpty, text, expected)
  }

  /** The name of an event hub, or several; [[HubSelection]] reads them. */
  case object HubNames extends OptionType[String] {
    val name = "names"
    val expected = "the name of an event hub, or names with commas between them"
    def parse(text: String): Either[String, String] = Either.cond(text.trim.nonEmpty, text, expected)
  }

  /** A regular expression of Java for the whole name of an event hub. */
  case object HubPattern extends OptionType[String] {
    val name = "text"
    val expected = "a regular expression for names of event hubs, such as 'orders-.*'"
    def parse(text: String): Either[String, String] =
      if (text.trim.isEmpty) Left(expected)
      else
        try {
          Pattern.compile(text.trim)
          Right(text.trim)
        } catch { case wrong: PatternSyntaxException => Left(s"$expected; ${wrong.getDescription}") }
  }

  final case class IntRange(min: Int, max: Int = Int.MaxValue) extends OptionType[Int] {
    val name = "int"
    val expected: String = wholeNumber(min.toLong, Option.when(max < Int.MaxValue)(max.toLong))
    override val minimum: Option[Long] = Some(min.toLong)
    override val maximum: Option[Long] = Option.when(max < Int.MaxValue)(max.toLong)
    def parse(text: String): Either[String, Int] =
      text.trim.toIntOption.filter(n => n >= min && n <= max).toRight(expected)
  }

  final case class LongRange(min: Long) extends OptionType[Long] {
    val name = "long"
    val expected: String = wholeNumber(min, None)
    override val minimum: Option[Long] = Some(min)
    def parse(text: String): Either[String, Long] = text.trim.toLongOption.filter(_ >= min).toRight(expected)
  }

  case object Flag extends OptionType[Boolean] {
    val name = "boolean"
    val expected = "true or false"
    def parse(text: String): Either[String, Boolean] = text.trim.toBooleanOption.toRight(expected)
  }

  case object PositiveDuration extends OptionType[Duration] {
    val name = "duration"
    val expected = "a duration above zero such as PT30S or 30s"
    // 100 years. Timers overflow above 292 years in nanoseconds.
    private val longest = Duration.ofDays(36500)
    def parse(text: String): Either[String, Duration] =
      DurationText.parse(text)
        .filter(duration => !duration.isNegative && !duration.isZero && duration.compareTo(longest) <= 0)
        .toRight(expected)
  }

  /** A number of bytes, optionally with one of Spark's binary units: `16m`, `512k`, `1048576`. */
  final case class ByteSize(min: Long, max: Long = Long.MaxValue) extends OptionType[Long] {
    val name = "bytes"
    val expected: String = s"a number of bytes from $min" +
      (if (max < Long.MaxValue) s" to $max" else "") + ", such as 1048576 or 16m"
    override val minimum: Option[Long] = Some(min)
    override val maximum: Option[Long] = Option.when(max < Long.MaxValue)(max)
    private val Amount = """(\d+)\s*([kmg]?)(?:i?b)?""".r
    private val units = Seq("g" -> (1L << 30), "m" -> (1L << 20), "k" -> (1L << 10), "" -> 1L)
    def parse(text: String): Either[String, Long] = (text.trim.toLowerCase(Locale.ROOT) match {
      case Amount(number, unit) =>
        Try(Math.multiplyExact(number.toLong, units.toMap.apply(unit))).toOption.filter(n => n >= min && n <= max)
      case _ => None
    }).toRight(expected)
    override def render(value: Long): String =
      units.collectFirst { case (unit, bytes) if value % bytes == 0 => s"${value / bytes}$unit" }.mkString
  }

  /** One of a fixed set of words, in any case. */
  final case class Choice[A](words: (String, A)*) extends OptionType[A] {
    val name: String = words.map(_._1).mkString("|")
    val expected: String = s"one of ${words.map(_._1).mkString(", ")}"
    def parse(text: String): Either[String, A] =
      words.collectFirst { case (word, value) if word.equalsIgnoreCase(text.trim) => value }.toRight(expected)
    override def render(value: A): String =
      words.collectFirst { case (word, `value`) => word }.getOrElse(value.toString)
  }

  case object Position extends OptionType[EventPosition] {
    val name = "position"
    val expected: String = PositionParser.Expected
    def parse(text: String): Either[String, EventPosition] = PositionParser.parse(text)
    override def render(value: EventPosition): String = value match {
      case EventPosition.StartOfStream => "earliest"
      case EventPosition.EndOfStream => "latest"
      case EventPosition.CheckpointStore => PositionParser.StoreWord
      case other => PositionJson.render(other)
    }
  }

  case object Positions extends OptionType[PartitionPositions] {
    val name = "positions"
    val expected: String = PartitionPositions.Expected
    def parse(text: String): Either[String, PartitionPositions] = PartitionPositions.parse(text)
    override def render(value: PartitionPositions): String = value.render
  }

  case object PartitionIds extends OptionType[Set[Int]] {
    val name = "partitions"
    val expected = "partition ids or ranges, such as 0,2 or 0-3"
    private val Single = """(\d{1,5})""".r
    private val Range = """(\d{1,5})\s*-\s*(\d{1,5})""".r
    def parse(text: String): Either[String, Set[Int]] = {
      val parts = text.trim.stripPrefix("[").stripSuffix("]").split(",", -1).toSeq.map(_.trim match {
        case Single(id) => Some(Set(id.toInt))
        case Range(first, last) if first.toInt <= last.toInt => Some((first.toInt to last.toInt).toSet)
        case _ => None
      })
      Either.cond(parts.forall(_.isDefined), parts.flatten.flatten.toSet, expected)
    }
    override def render(value: Set[Int]): String = value.toSeq.sorted.mkString(",")
  }

  /** The fully qualified host of a namespace. A short name is not valid, because it does not identify the cloud. */
  case object NamespaceHost extends OptionType[String] {
    val name = "text"
    val expected = "the host name of a namespace, such as contoso.servicebus.windows.net"
    def parse(text: String): Either[String, String] =
      endpoint(text).filter(uri => uri.getPort < 0 && (uri.getHost.contains(".") || uri.getHost == "localhost"))
        .map(_.getHost.toLowerCase(Locale.ROOT))
        .toRight(expected)
    override def shown(text: String): String = ProxyAddress.shown(text)
  }

  /** The SDK requires a URI scheme that the JDK supports, but uses only host and port. */
  case object HostAndPort extends OptionType[URI] {
    val name = "text"
    val expected = "a host with or without a port, such as gateway.contoso.com:5671"
    def parse(text: String): Either[String, URI] =
      endpoint(text)
        .map(uri => new URI(s"https://${uri.getHost}${if (uri.getPort < 0) "" else s":${uri.getPort}"}"))
        .toRight(expected)
    override def shown(text: String): String = ProxyAddress.shown(text)
  }

  case object HttpProxyAddress extends OptionType[ProxyAddress] {
    val name = "text"
    val expected = "an HTTP proxy as host:port, such as proxy.contoso.com:3128"
    def parse(text: String): Either[String, ProxyAddress] =
      Try(new URI(if (text.contains("://")) text.trim else s"http://${text.trim}")).toOption
        .filter(uri => "http".equalsIgnoreCase(uri.getScheme) && Option(uri.getHost).isDefined && uri.getPort > 0)
        .filter(uri => Option(uri.getUserInfo).isEmpty)
        .map(uri => ProxyAddress(uri.getHost, uri.getPort))
        .toRight(expected)
    override def shown(text: String): String = ProxyAddress.shown(text)
  }

  /** Address of a sign-in service of Microsoft Entra ID, or the name of a cloud as the Azure CLI has it. */
  case object Authority extends OptionType[String] {
    val name = "text"
    val expected = "AzureCloud, AzureUSGovernment, AzureChinaCloud or an address such as https://login.contoso.com"
    private val clouds = Map(
      "azurecloud" -> "https://login.microsoftonline.com",
      "azureusgovernment" -> "https://login.microsoftonline.us",
      "azurechinacloud" -> "https://login.chinacloudapi.cn"
    )
    def parse(text: String): Either[String, String] =
      clouds.get(text.trim.toLowerCase(Locale.ROOT)).orElse(address(text.trim)).toRight(expected)
    private def address(text: String): Option[String] = Try(new URI(text)).toOption
      .filter(uri => "https".equalsIgnoreCase(uri.getScheme) && Option(uri.getHost).isDefined)
      .filter(uri => Seq(uri.getUserInfo, uri.getQuery, uri.getFragment).forall(Option(_).isEmpty))
      .filter(uri => Set("", "/")(uri.getPath))
      .map(uri => s"https://${uri.getHost}${if (uri.getPort < 0) "" else s":${uri.getPort}"}")
  }

  /** A host, without a sign-in: none of the options that have one signs in with it. */
  private def endpoint(text: String): Option[URI] =
    Try(new URI(if (text.contains("://")) text.trim else s"sb://${text.trim}")).toOption
      .filter(uri => Option(uri.getHost).isDefined && Option(uri.getUserInfo).isEmpty)

  private def wholeNumber(min: Long, max: Option[Long]): String =
    s"a whole number from $min" + max.fold("")(n => s" to $n")
}
