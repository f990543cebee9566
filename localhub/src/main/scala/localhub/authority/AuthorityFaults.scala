package localhub.authority

/** The faults that can still happen, oldest first. */
final class AuthorityFaults private[authority] {

  private var nextId = 1L
  private var faults = Vector.empty[(Long, AuthorityFault)]

  /** @return the number with which it can be cancelled */
  def inject(fault: AuthorityFault): Long = synchronized {
    val id = nextId
    nextId += 1
    faults :+= id -> fault
    id
  }

  /** False when there is no such fault; it may have ended. */
  def cancel(id: Long): Boolean = synchronized {
    val before = faults.size
    faults = faults.filterNot(_._1 == id)
    faults.size < before
  }

  def clear(): Unit = synchronized { faults = Vector.empty }

  /** Numbers and faults; `count` is what remains. */
  def active: Seq[(Long, AuthorityFault)] = synchronized(faults)

  /** The fault of a request, which is one of its count. */
  private[authority] def at(kind: AuthorityRequestKind): Option[AuthorityFaultAction] = synchronized {
    faults.find(_._2.on.forall(_ == kind)).map { case (id, fault) =>
      faults = faults.flatMap {
        case (`id`, same) =>
          val left = same.count.map(_ - 1)
          Option.unless(left.contains(0))(id -> same.copy(count = left))
        case other => Some(other)
      }
      fault.action
    }
  }
}
