package org.apache.spark.eventhubs.signin

import com.azure.identity.ClientSecretCredential
import com.microsoft.aad.msal4j.ConfidentialClientApplication
import org.apache.logging.log4j.{Level, LogManager}

import testkit.TestSuite

class SdkLoggingSuite extends TestSuite {

  test("attempts to sign in are not logged, neither by the SDK nor by the library below it") {
    SdkLogging.quieten()
    Seq(classOf[ClientSecretCredential], classOf[ConfidentialClientApplication]).foreach { logs =>
      assert(LogManager.getLogger(logs).getLevel == Level.OFF, logs)
    }
  }
}
