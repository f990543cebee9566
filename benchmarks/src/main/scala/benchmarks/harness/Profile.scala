package benchmarks.harness

import ujson.Value

/**
 * The network between the measured clients and the servers.
 *
 * @param isCloud         TLS and signing in on both sides, through a proxy, and the service's pace of management calls;
 *   otherwise plain connections on the loopback interface
 * @param roundTripMillis time that the proxy adds to a round trip, half of it in each direction
 */
final case class Profile(isCloud: Boolean, roundTripMillis: Int) {
  require(isCloud || roundTripMillis == 0, s"the profile loopback has no proxy to add $roundTripMillis ms")

  def name: String = if (isCloud) "cloud" else "loopback"

  override def toString: String = if (isCloud) s"$name with a round trip of $roundTripMillis ms" else name

  /** The fields of a case in the results. */
  def fields: Seq[(String, Value)] = Seq("profile" -> name, "roundTripMillis" -> roundTripMillis)
}

object Profile {
  val Loopback: Profile = Profile(isCloud = false, 0)

  def cloud(roundTripMillis: Int): Profile = Profile(isCloud = true, roundTripMillis)

  /** `loopback`, `cloud` (10 ms) or `cloud:<milliseconds>`. */
  def parse(text: String): Profile = text.split(":", 2) match {
    case Array("loopback") => Loopback
    case Array("cloud") => cloud(UsualMillis)
    case Array("cloud", millis) => cloud(millis.toInt)
    case _ =>
      throw new IllegalArgumentException(s"'$text' is not a profile; expected loopback, cloud or cloud:<milliseconds>")
  }

  /** Between two data centres of one region it is less, from another region it is more. */
  private val UsualMillis = 10
}
