package org.apache.spark.eventhubs.connection

import scala.annotation.nowarn

import com.azure.core.util.Configuration

/** Sets HTTP_PROXY in the SDK's copy of the environment, which it reads only once. */
object HttpProxyVariable {

  @nowarn("cat=deprecation")
  def set(value: String)(test: => Unit): Unit = {
    val environment = Configuration.getGlobalConfiguration
    environment.put("HTTP_PROXY", value)
    try test
    finally {
      environment.remove("HTTP_PROXY")
      ()
    }
  }
}
