package org.apache.spark.sql.eventhubs.planning

import org.apache.spark.eventhubs.Background
import testkit.TestSuite

class InBackgroundSuite extends TestSuite {

  test("a call finds classes where its caller does, also in a thread that another session has started") {
    val calls = Seq[(=> ClassLoader) => InBackground[ClassLoader]](InBackground(_), InBackground.limited(_))
    for {
      call <- calls
      _ <- 1 to 2
    } {
      val loader = new ClassLoader(getClass.getClassLoader) {}
      val seen = Background {
        Thread.currentThread.setContextClassLoader(loader)
        call(Thread.currentThread.getContextClassLoader).await()
      }
      assert(seen.result eq loader)
    }
  }
}
