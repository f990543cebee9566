package localhub.amqp.fault

/** Something that is open and that a fault can strike at once, from any thread. */
private[amqp] trait FaultTarget {
  def place: FaultScope
  def canSuffer(action: FaultAction): Boolean
  def strike(action: FaultAction): Unit
}
