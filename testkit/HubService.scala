package testkit

import java.time.Duration

/**
 * How the local hub of a suite treats its clients. `HUB_SERVICE` chooses it.
 *
 * @param patience factor of all time limits of tests, because a hub that answers late makes tests slow
 * @param maxAge   an answer of the hub may be as old as this
 */
sealed abstract class HubService(val patience: Int, val maxAge: Duration) {

  /** After this, the hub's answers have all events that were sent before. */
  def awaitAnswers(): Unit = Thread.sleep(maxAge.toMillis)
}

object HubService {

  case object Usual extends HubService(1, Duration.ZERO)

  /** Everything that is not known of the service is against its clients. Most tests take a minute. */
  case object Strict extends HubService(15, Duration.ofSeconds(30))

  /** The same rules with ten answers in a second, which are 3 s old, so that all suites run in an hour. */
  case object StrictQuick extends HubService(4, Duration.ofSeconds(3))

  val current: HubService = sys.env.get("HUB_SERVICE") match {
    case None => Usual
    case Some("strict") => Strict
    case Some("strict-quick") => StrictQuick
    case Some(other) => throw new IllegalArgumentException(s"HUB_SERVICE is '$other'; expected strict or strict-quick")
  }
}
