package localhub.cli

import localhub.{ServiceSettings, SettingParser}

/** Reads the options that imitate rules of the service. */
private[cli] object ServiceArguments {

  def read(
      profile: Option[String],
      timeScale: Option[String],
      maxMessageSize: Option[String],
      managementLimit: Option[Int],
      managementMaxAge: Option[String],
      unsettledReaders: Boolean
  ): ServiceSettings = {
    val defaults = profile.fold(ServiceSettings())(named)
    defaults.copy(
      timeScale = timeScale.fold(defaults.timeScale)(factor),
      maxMessageBytes = maxMessageSize.fold(defaults.maxMessageBytes)(bytes),
      unsettledReaders = unsettledReaders,
      managementPerSecond = managementLimit.orElse(defaults.managementPerSecond),
      managementMaxAge =
        managementMaxAge.fold(defaults.managementMaxAge)(SettingParser.duration("--management-max-age", _))
    )
  }

  private def named(profile: String): ServiceSettings = profile match {
    case "strict" => ServiceSettings.Strict
    case other => throw new UsageException(s"--service $other: expected strict.")
  }

  private def factor(text: String): Double =
    text.toDoubleOption.getOrElse(throw new UsageException(s"--service-time-scale $text: expected a number, 0.01."))

  private def bytes(text: String): Int =
    math.min(SettingParser.bytes("--max-message-size", text), Int.MaxValue.toLong).toInt
}
