package localhub.cli

/** The version in the jar's manifest. */
private[localhub] object Version {
  def current: String = Option(getClass.getPackage.getImplementationVersion).getOrElse("(development)")
}
