package localhub.cli

import localhub.{ServiceSettings, SettingParser}

/** Reads the options that imitate rules of the service. */
private[cli] object ServiceArguments {

  def read(
      timeScale: Option[String],
      maxMessageSize: Option[String],
      managementLimit: Option[Int],
      managementMaxAge: Option[String],
      unsettledReaders: Boolean
  ): ServiceSettings = {
    val defaults = ServiceSettings()
    ServiceSettings(
      timeScale.fold(defaults.timeScale)(factor),
      maxMessageSize.fold(defaults.maxMessageBytes)(bytes),
      unsettledReaders,
      managementLimit,
      managementMaxAge.fold(defaults.managementMaxAge)(SettingParser.duration("--management-max-age", _))
    )
  }

  private def factor(text: String): Double =
    text.toDoubleOption.getOrElse(throw new UsageException(s"--service-time-scale $text: expected a number, 0.01."))

  private def bytes(text: String): Int =
    math.min(SettingParser.bytes("--max-message-size", text), Int.MaxValue.toLong).toInt
}
