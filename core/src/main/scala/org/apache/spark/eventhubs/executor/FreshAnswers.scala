package org.apache.spark.eventhubs.executor

import scala.collection.mutable

import org.apache.spark.util.Clock

/**
 * Remembers for a while the answers to the questions that were asked last. Thread-safe; a question that two threads ask
 * at the same moment is asked twice.
 */
private[spark] final class FreshAnswers[K, A](freshMillis: Long, maxKeys: Int, clock: Clock) {

  private val answers = mutable.LinkedHashMap.empty[K, (Long, A)]

  /** The answer to `question`, which may be as old as the limit says. A failure is not remembered. */
  def of(key: K)(question: => A): A = {
    val now = clock.getTimeMillis()
    val fresh = synchronized(answers.get(key)).collect { case (asked, answer) if now - asked < freshMillis => answer }
    fresh.getOrElse {
      val answer = question
      synchronized {
        answers.remove(key)
        answers.put(key, (now, answer))
        if (answers.size > maxKeys) answers.remove(answers.head._1)
      }
      answer
    }
  }
}
