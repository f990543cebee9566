package testkit

import org.scalatest.time.{Span, Units}

/** Time limits of tests. The one place where [[HubService]] makes them longer. */
object Patience {

  def apply(length: Long, unit: Units): Span = Span(length * HubService.current.patience, unit)

  /** Milliseconds in which a query ends. Long, because a busy machine is no reason to fail. */
  val queryMillis: Long = 120000L * HubService.current.patience
}
