package localhub.amqp.fault

/** An open connection or link to which a fault can be applied at once, from any thread. */
private[amqp] trait FaultTarget {
  def scope: FaultScope
  def supports(action: FaultAction): Boolean
  def applyFault(action: FaultAction): Unit
}
