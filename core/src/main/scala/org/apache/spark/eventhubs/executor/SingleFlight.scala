package org.apache.spark.eventhubs.executor

import scala.collection.mutable

import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.eventhubs.send.ProducerCalls

/**
 * Questions that many tasks of a JVM have at the same moment, as when the connection that they share goes away: one of them
 * asks, and its answer is all others' who had the question before it was asked. An answer whose question is older than a
 * task's own would be too old for it.
 */
private[spark] final class SingleFlight[K, A] {

  import SingleFlight._

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
    try
      sharedAnswer(topic, before, checkCancelled).getOrElse(ask(topic, question)).fold(failed => throw failed, identity)
    finally leave(key, topic)
  }

  private def leave(key: K, topic: Topic[A]): Unit = synchronized {
    topic.users -= 1
    if (topic.users == 0) topics -= key
    ()
  }

  /** Waits for the answer to a question after that of this number; nothing for the one who is to ask it. */
  private def sharedAnswer(topic: Topic[A], before: Long, checkCancelled: () => Unit): Option[Answer[A]] =
    synchronized {
      while (topic.isAsking && topic.answered <= before) {
        checkCancelled()
        wait(ProducerCalls.LookUpMillis)
      }
      if (topic.answered > before) topic.last
      else {
        topic.isAsking = true
        topic.asked += 1
        None
      }
    }

  /** Gives the answer to this very question, though another may have been answered before the asker looks at it. */
  private def ask(topic: Topic[A], question: => A): Answer[A] = {
    var answer = Option.empty[Answer[A]]
    try {
      val own = answerTo(question)
      answer = Some(own)
      own
    } finally synchronized {
        topic.isAsking = false
        answer.foreach(topic.take)
        notifyAll()
      }
  }
}

private object SingleFlight {

  private type Answer[A] = Either[EventHubsException, A]

  /** All else that is thrown is no answer: the asker was killed, say. */
  private def answerTo[A](question: => A): Answer[A] =
    try Right(question)
    catch { case failed: EventHubsException => Left(failed) }

  /** Guarded by its owner; gone when nobody asks any more. */
  private final class Topic[A] {
    var users = 0
    var isAsking = false

    /** Number of the last question, and of the last one that was answered. */
    var asked = 0L
    var answered = 0L
    var last = Option.empty[Answer[A]]

    def take(answer: Answer[A]): Unit = {
      answered = asked
      last = Some(answer)
    }
  }
}
