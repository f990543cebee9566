package testkit

/**
 * How the local hub of a suite treats its clients. `HUB_SERVICE` chooses it.
 *
 * @param patience factor of all time limits of tests, because a hub that answers late makes tests slow
 */
sealed abstract class HubService(val patience: Int)

object HubService {

  case object Usual extends HubService(1)

  /** Everything that is not known of the service is against its clients. Most tests take a minute. */
  case object Strict extends HubService(15)

  /** The same rules with ten answers in a second, which are 3 s old, so that all suites run in an hour. */
  case object StrictQuick extends HubService(4)

  val current: HubService = sys.env.get("HUB_SERVICE") match {
    case None => Usual
    case Some("strict") => Strict
    case Some("strict-quick") => StrictQuick
    case Some(other) => throw new IllegalArgumentException(s"HUB_SERVICE is '$other'; expected strict or strict-quick")
  }
}
