package org.apache.spark.eventhubs.send

import java.util.concurrent.locks.ReentrantLock

import org.apache.spark.eventhubs.background.Background
import org.apache.spark.util.Clock

/**
 * Lets background threads continue a task's work while its own thread does something else, such as wait for the next
 * row. At any time one thread has the turn. No thread waits for it except the task's.
 *
 * @param advancing does what is due, without waiting. Returns when more is due, as `nanoTime`, if that is known
 */
private[spark] final class TaskTurns(background: Background, clock: Clock, advancing: () => Option[Long]) {

  private val turn = new ReentrantLock

  /** Whether there may be work. Set before anyone looks who has the turn, so that it is never forgotten. */
  @volatile private var isWanted = false

  @volatile private var isOver = false

  // Guarded by `turn`, as every change of `isOver`.
  private var work = advancing
  private var failure = Option.empty[Throwable]
  private var alarm = Option.empty[Long]

  /**
   * For the task's thread.
   *
   * @throws java.lang.Throwable that background work has failed with since the last turn
   */
  def inTurn[A](use: => A): A = whole {
    if (failure.isDefined) throw failure.get
    use
  }

  /** For the task's thread, also after a failure. */
  def whole[A](use: => A): A = {
    turn.lock()
    try use
    finally {
      turn.unlock()
      if (isWanted) takeTurn()
    }
  }

  /** For any thread: there is work. Who has the turn looks for it afterwards. */
  def wake(): Unit = {
    isWanted = true
    if (!turn.isLocked) background.run(() => takeTurn())
  }

  /** For the thread that has the turn: there is work at this `nanoTime`. */
  def wakeAt(nanos: Long): Unit = if (!isOver && alarm.forall(_ - nanos > 0)) {
    alarm = Some(nanos)
    background.runAfter(math.max(0, nanos - clock.nanoTime())) { () =>
      isWanted = true
      takeTurn()
    }
  }

  /** For any thread: there may be work that nothing announces, so it is looked for this often. */
  def wakeEvery(nanos: Long): Unit = background.runAfter(nanos) { () =>
    if (!isOver) {
      wake()
      wakeEvery(nanos)
    }
  }

  /** When it returns, no background thread works, and none will. An alarm that is left keeps nothing of the task. */
  def end(): Unit = whole {
    isOver = true
    work = TaskTurns.NoWork
  }

  private def takeTurn(): Unit = while (isWanted && turn.tryLock())
    try {
      isWanted = false
      if (!isOver) advance()
    } finally turn.unlock()

  private def advance(): Unit = {
    alarm = alarm.filter(_ - clock.nanoTime() > 0)
    try work().foreach(wakeAt)
    catch {
      case failed: Throwable =>
        isOver = true
        failure = Some(failed)
    }
  }
}

private object TaskTurns {
  private val NoWork: () => Option[Long] = () => None
}
