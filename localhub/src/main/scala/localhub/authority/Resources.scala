package localhub.authority

/** The resources for which the authority issues tokens. */
private[authority] object Resources {

  private val Known = Set(
    "https://eventhubs.azure.net",
    "https://servicebus.azure.net",
    "https://storage.azure.com",
    "https://vault.azure.net",
    "https://management.azure.com",
    "https://graph.microsoft.com"
  )

  private val Namespace = "https://[A-Za-z0-9-]+\\.servicebus\\.[a-z.]+|https://(localhost|127\\.0\\.0\\.1)(:\\d+)?"

  def isKnown(resource: String): Boolean = {
    val name = resource.stripSuffix("/")
    Known(name) || name.matches(Namespace)
  }
}
