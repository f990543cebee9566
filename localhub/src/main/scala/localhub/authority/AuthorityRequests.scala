package localhub.authority

import java.time.Instant

/**
 * A request that the authority answered.
 *
 * @param clientId of the application or user-assigned identity; None when the request names none
 * @param status   of the answer; None when a fault closed the connection
 */
final case class AuthorityRequest(
    time: Instant,
    kind: AuthorityRequestKind,
    method: String,
    path: String,
    clientId: Option[String],
    status: Option[Int]
)

/** The latest requests, so that a test sees who asked, and how often. */
private[localhub] final class AuthorityRequests {
  private var requests = Vector.empty[AuthorityRequest]

  def add(request: AuthorityRequest): Unit = synchronized {
    requests = (requests :+ request).takeRight(AuthorityRequests.Most)
  }

  /** Oldest first. */
  def all: Seq[AuthorityRequest] = synchronized(requests)
}

private object AuthorityRequests {
  private val Most = 1000
}
