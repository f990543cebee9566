package localhub

/** The local hub cannot start or continue; the message says why and what to do. */
class LocalHubException(message: String, cause: Throwable = None.orNull) extends RuntimeException(message, cause)
