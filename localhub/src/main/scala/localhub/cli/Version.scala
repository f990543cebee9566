package localhub.cli

/** The version that the build wrote into the jar's manifest. */
object Version {
  def current: String = Option(getClass.getPackage.getImplementationVersion).getOrElse("(development)")
}
