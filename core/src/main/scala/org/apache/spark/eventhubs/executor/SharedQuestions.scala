package org.apache.spark.eventhubs.executor

import org.apache.spark.eventhubs.connection.ClientConnectionPool
import org.apache.spark.eventhubs.options.ConnectionSettings

/**
 * Questions about hubs that many tasks of a JVM want to ask at the same moment. One task asks, and the others share the
 * answer, also if it is a failed sign-in. So only tasks with the same credential share one: two sessions of Spark
 * Connect may have different classes of one name that give the tokens.
 */
private[spark] final class SharedQuestions[K, A] {

  private val flights = new SingleFlight[(ConnectionSettings, Option[Class[_]], K), A]

  /**
   * The answer to a question that this task or another one has asked since this call.
   *
   * @param about          equal for questions that may share an answer
   * @param checkCancelled throws when the task is to stop; called often
   */
  def ask(connection: ConnectionSettings, about: K, checkCancelled: () => Unit)(question: => A): A =
    flights.run((connection, ClientConnectionPool.providerOf(connection), about), checkCancelled)(question)
}
