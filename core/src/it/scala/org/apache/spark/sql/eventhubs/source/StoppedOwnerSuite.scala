package org.apache.spark.sql.eventhubs.source

import testkit.TestSuite

class V1StoppedOwnerSuite extends StoppedOwnerBehaviour(ApiVersion.V1)
class V2StoppedOwnerSuite extends StoppedOwnerBehaviour(ApiVersion.V2)

/** A stopped query with an owner level must not shut other readers out. */
abstract class StoppedOwnerBehaviour(override protected val api: ApiVersion) extends TestSuite with StreamFixture {

  private val owner = "eventhubs.ownerLevel" -> "5"

  private def readers(name: String) = localHub.amqp.readers.filter(_.hub == name)

  test("a query with an owner level closes its links when it stops, and a reader without one can read") {
    val name = newHub(2)
    send(name, 20, 20)
    running(stream(name, earliest, owner)) { query =>
      assertSame(query.catchUp(), firstEvents(20, 20))
    }
    eventually("the links are closed")(readers(name).isEmpty)
    assertSame(readAvailable(stream(name, earliest)).read, firstEvents(20, 20))
  }
}
