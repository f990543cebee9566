package org.apache.spark.sql.eventhubs.rotation

import java.util.concurrent.atomic.AtomicReference

import scala.collection.immutable.AbstractSeq

import localhub.auth.{Claim, SharedAccessPolicy}

/** Policies that change in a running hub. It asks them for each token. */
private[rotation] final class ChangingPolicies(first: SharedAccessPolicy*) extends AbstractSeq[SharedAccessPolicy] {
  private val current = new AtomicReference[Seq[SharedAccessPolicy]](first)
  def set(policies: SharedAccessPolicy*): Unit = current.set(policies)
  override def apply(i: Int): SharedAccessPolicy = current.get()(i)
  override def length: Int = current.get().length
  override def iterator: Iterator[SharedAccessPolicy] = current.get().iterator
}

private[rotation] object ChangingPolicies {

  def pipeline(key: String): SharedAccessPolicy =
    SharedAccessPolicy("pipeline", key, Set[Claim](Claim.Listen, Claim.Send))
}
