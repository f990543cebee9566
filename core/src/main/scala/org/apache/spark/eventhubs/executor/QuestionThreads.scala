package org.apache.spark.eventhubs.executor

import java.util.concurrent.{ExecutorService, Future}

import org.apache.spark.util.ThreadUtils

/** Daemon threads that ask the service while a query's own thread does something else. They end when they are idle. */
private[spark] final class QuestionThreads extends AutoCloseable {

  /** For questions that a caller waits for: they never wait for those of another query. */
  val urgent: ExecutorService = ThreadUtils.newDaemonCachedThreadPool("eventhubs-questions")

  /** For questions that are not urgent. Only some run at a time, because all calls of a namespace share one pace. */
  val limited: ExecutorService = ThreadUtils.newDaemonCachedThreadPool("eventhubs-refresh", maxThreadNumber = 16)

  /** For the one routine question of each hub, which waits for its turn here: no hub waits for another namespace's. */
  val routine: ExecutorService = ThreadUtils.newDaemonCachedThreadPool("eventhubs-routine")

  override def close(): Unit = {
    urgent.shutdownNow()
    routine.shutdownNow()
    // Whoever waits for a question that has not begun would wait forever.
    limited.shutdownNow().forEach {
      case question: Future[_] => val _ = question.cancel(true)
      case _ => ()
    }
  }
}
