package org.apache.spark.eventhubs.connection

import scala.annotation.nowarn

import com.azure.core.util.Configuration

/** Sets HTTP_PROXY, and variables like it, in the SDK's copy of the environment, which it reads only once. */
object HttpProxyVariable {

  def set(value: String)(test: => Unit): Unit = setAll("HTTP_PROXY" -> value)(test)

  @nowarn("cat=deprecation")
  def setAll(variables: (String, String)*)(test: => Unit): Unit = {
    val environment = Configuration.getGlobalConfiguration
    variables.foreach { case (name, value) => environment.put(name, value) }
    try test
    finally variables.foreach { case (name, _) => environment.remove(name) }
  }
}
