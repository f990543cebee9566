package localhub

/** The local hub cannot start or continue; the message says why and what to do. */
class LocalHubException(message: String, cause: Throwable = None.orNull) extends RuntimeException(message, cause)

private[localhub] object LocalHubException {

  /** What clients read of a failure: the hub's own words, not Java's. */
  def forClients(failure: Throwable): String = failure match {
    case _: LocalHubException => failure.getMessage
    case _ => "The log of the local hub has the reason."
  }
}
