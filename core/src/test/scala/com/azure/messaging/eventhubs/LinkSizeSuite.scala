package com.azure.messaging.eventhubs

import testkit.TestSuite

class LinkSizeSuite extends TestSuite {

  test("a link without max-message-size, or with 0 as AMQP writes it, has no limit") {
    assert(SdkConnection.allowed(0) == Int.MaxValue)
  }

  test("a limit that is no Int, such as 2^64-1, is no limit") {
    assert(SdkConnection.allowed(-1) == Int.MaxValue)
  }

  test("other limits are the service's") {
    assert(SdkConnection.allowed(1048576) == 1048576)
  }
}
