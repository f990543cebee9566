package org.apache.spark.eventhubs.client

import scala.collection.mutable

import org.apache.spark.eventhubs.EventHubsException

/**
 * Questions that many tasks of a JVM have at the same moment, as when the connection that they share goes away: one of them
 * asks, and its answer is all others' who had the question before it was asked. An answer whose question is older than a
 * task's own would be too old for it.
 */
private[spark] final class JointQuestions[K, A] {

  import JointQuestions._

  private val topics = mutable.HashMap.empty[K, Topic[A]]

  /**
   * @param key            the same for those who may share an answer
   * @param checkCancelled throws when the task is to stop; asked often
   * @throws EventHubsException also for those who shared the question; what else it throws is the asker's own
   */
  def ask(key: K, checkCancelled: () => Unit)(question: => A): A = {
    val (topic, before) = synchronized {
      val topic = topics.getOrElseUpdate(key, new Topic[A])
      topic.users += 1
      (topic, topic.asked)
    }
    try {
      if (isNext(topic, before, checkCancelled)) ask(topic, question)
      synchronized(topic.answer).fold(failed => throw failed, identity)
    } finally leave(key, topic)
  }

  private def leave(key: K, topic: Topic[A]): Unit = synchronized {
    topic.users -= 1
    if (topic.users == 0) topics -= key
    ()
  }

  /** Waits for an answer to a question after that of this number; true for the one who is to ask it. */
  private def isNext(topic: Topic[A], before: Long, checkCancelled: () => Unit): Boolean = synchronized {
    while (topic.isAsking && topic.answered <= before) {
      checkCancelled()
      wait(ProducerCalls.LookUpMillis)
    }
    val isNext = topic.answered <= before
    if (isNext) {
      topic.isAsking = true
      topic.asked += 1
    }
    isNext
  }

  private def ask(topic: Topic[A], question: => A): Unit = {
    var answer = Option.empty[Either[EventHubsException, A]]
    try answer = Some(Right(question))
    catch { case failed: EventHubsException => answer = Some(Left(failed)) }
    finally synchronized {
        topic.isAsking = false
        answer.foreach(topic.take)
        notifyAll()
      }
  }
}

private object JointQuestions {

  /** Guarded by its owner; gone when nobody asks any more. */
  private final class Topic[A] {
    var users = 0
    var isAsking = false

    /** Number of the last question, and of the last one that was answered. */
    var asked = 0L
    var answered = 0L
    private var last = Option.empty[Either[EventHubsException, A]]

    def take(answer: Either[EventHubsException, A]): Unit = {
      answered = asked
      last = Some(answer)
    }

    def answer: Either[EventHubsException, A] =
      last.getOrElse(throw new IllegalStateException("nobody has asked yet"))
  }
}
