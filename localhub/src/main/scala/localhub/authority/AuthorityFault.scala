package localhub.authority

import java.time.Duration

/** What happens to a request instead of, or before, its answer. */
sealed trait AuthorityFaultAction

object AuthorityFaultAction {

  /** 429, with the seconds to wait in Retry-After. */
  final case class Throttle(retryAfter: Duration) extends AuthorityFaultAction

  /** This status of 500 or above. */
  final case class Fail(status: Int) extends AuthorityFaultAction

  /** The answer comes after this time. */
  final case class Delay(time: Duration) extends AuthorityFaultAction

  /** The connection is closed without an answer. */
  case object Drop extends AuthorityFaultAction
}

/** Which requests a fault is for. */
sealed abstract class AuthorityRequestKind(val name: String)

object AuthorityRequestKind {
  case object Token extends AuthorityRequestKind("token")
  case object Discovery extends AuthorityRequestKind("discovery")
  case object ManagedIdentity extends AuthorityRequestKind("managed-identity")

  val all: Seq[AuthorityRequestKind] = Seq(Token, Discovery, ManagedIdentity)
}

/**
 * A fault of the authority.
 *
 * @param on    None: every kind of request
 * @param count how many requests it is for; None: all until it is cancelled
 */
final case class AuthorityFault(
    action: AuthorityFaultAction,
    on: Option[AuthorityRequestKind] = None,
    count: Option[Int] = None
)
