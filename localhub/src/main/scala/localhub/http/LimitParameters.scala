package localhub.http

import localhub.{HubConfig, Retention, SettingText}

/** The limits of a hub in a query: `retention=1h&throughputUnits=none`. What is `none` is taken away, what is left out stays. */
private[http] final class LimitParameters(query: Map[String, String]) {
  import LimitParameters._

  val retention: Retention = Retention(
    stated(Time).map(SettingText.duration(Time, _)),
    stated(Bytes).map(SettingText.bytes(Bytes, _))
  )

  val throughputUnits: Option[Int] = stated(Units).map(SettingText.count(Units, _))

  def takeAny: Boolean = all.exists(taken)

  /** What is left of a hub's limits. */
  def leftOf(config: HubConfig): (Retention, Option[Int]) = (
    Retention(
      config.retention.time.filterNot(_ => taken(Time)),
      config.retention.bytesPerPartition.filterNot(_ => taken(Bytes))
    ),
    config.throughputUnits.filterNot(_ => taken(Units))
  )

  private def taken(name: String): Boolean = query.get(name).contains(NoLimit)

  private def stated(name: String): Option[String] = query.get(name).filter(_ != NoLimit)
}

private[http] object LimitParameters {
  private val Time = "retention"
  private val Bytes = "retentionBytes"
  private val Units = "throughputUnits"
  private val NoLimit = "none"

  val all: Seq[String] = Seq(Time, Bytes, Units)
}
