package org.apache.spark.eventhubs.executor

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CountDownLatch, Executors, TimeUnit}

import org.apache.spark.eventhubs.registry.{RegisteredSchema, SchemaFormat, SchemaId}
import org.apache.spark.eventhubs.{ErrorCondition, EventHubsException, TestSettings}
import org.apache.spark.util.ManualClock
import testkit.TestSuite

class KnownSchemasSuite extends TestSuite {

  private val connection = TestSettings.batch().connection
  private def id(number: Int): SchemaId = SchemaId.parse(f"$number%032x").get
  private def schema(number: Int) = RegisteredSchema(id(number), SchemaFormat.Avro, s"text $number")

  test("many tasks that meet a new id ask one question") {
    val schemas = new KnownSchemas(new ManualClock)
    val questions = new AtomicInteger
    val begun = new CountDownLatch(1)
    val threads = Executors.newFixedThreadPool(16)
    try {
      val found = (1 to 16).map { _ =>
        threads.submit { () =>
          begun.await()
          schemas.of(connection, id(1), () => ()) {
            questions.incrementAndGet()
            Some(schema(1))
          }
        }
      }
      begun.countDown()
      found.foreach(task => assert(task.get(20, TimeUnit.SECONDS).contains(schema(1))))
      assert(questions.get == 1)
    } finally threads.shutdownNow()
  }

  test("an id that the registry lacks is asked for again after its time, and not before") {
    val clock = new ManualClock
    val schemas = new KnownSchemas(clock, unknownMillis = 100)
    def ask(answer: => Option[RegisteredSchema]) = schemas.of(connection, id(1), () => ())(answer)
    assert(ask(None).isEmpty)
    clock.advance(99)
    assert(ask(fail("asked too early")).isEmpty)
    clock.advance(1)
    assert(ask(Some(schema(1))).contains(schema(1)))
    clock.advance(1000000)
    assert(ask(fail("a schema does not change")).contains(schema(1)))
  }

  test("the ids that were used last are kept") {
    val schemas = new KnownSchemas(new ManualClock, maxIds = 2)
    def get(number: Int) = schemas.of(connection, id(number), () => ())(Some(schema(number)))
    get(1)
    get(2)
    get(1)
    get(3)
    assert(schemas.size == 2)
    assert(schemas.of(connection, id(1), () => ())(fail("it was used")).contains(schema(1)))
    assert(schemas.of(connection, id(2), () => ())(None).isEmpty)
  }

  test("another credential asks for itself, and a failure is not remembered") {
    val schemas = new KnownSchemas(new ManualClock)
    assert(schemas.of(connection, id(1), () => ())(Some(schema(1))).isDefined)
    val other = TestSettings.withKey("b3RoZXI=").connection
    assert(schemas.of(other, id(1), () => ())(None).isEmpty)
    val failed = new EventHubsException(ErrorCondition.SchemaRegistry.Unreachable, Map.empty)
    assert(intercept[EventHubsException](schemas.of(connection, id(2), () => ())(throw failed)) == failed)
    assert(schemas.of(connection, id(2), () => ())(Some(schema(2))).isDefined)
  }
}
