package org.apache.spark.eventhubs.connection

import scala.annotation.nowarn

import com.azure.core.util.Configuration

/** The environment's HTTP_PROXY as the SDK sees it, which reads the true one only once. */
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
