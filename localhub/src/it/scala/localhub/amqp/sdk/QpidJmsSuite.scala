package localhub.amqp.sdk

import jakarta.jms.{Connection, JMSException, Message, Session}
import org.apache.qpid.jms.{JmsConnectionFactory, JmsQueue}

import localhub.amqp.HubFixture
import localhub.auth.SharedAccessPolicy
import testkit.TestSuite

/** Qpid JMS as a client: its selectors have another key than those of the SDKs. */
class QpidJmsSuite extends TestSuite with HubFixture {

  private val toZero = new JmsQueue("hub1/Partitions/0")
  private val fromZero = new JmsQueue("hub1/ConsumerGroups/$Default/Partitions/0")

  /** A session that signs in with a policy's name and key, as with the service. */
  private def session(policy: String = SharedAccessPolicy.Root.name): Session = {
    // Otherwise the library refuses the selector itself: a JMS selector has no `amqp.annotation`.
    val uri = s"amqp://localhost:${server.port}?jms.validateSelector=false"
    val factory = new JmsConnectionFactory(policy, SharedAccessPolicy.Root.key, uri)
    val connection: Connection = factory.createConnection()
    closing(connection)
    connection.start()
    connection.createSession(false, Session.AUTO_ACKNOWLEDGE)
  }

  private def send(session: Session, bodies: String*): Unit = {
    val producer = session.createProducer(toZero)
    bodies.foreach { body =>
      val message = session.createBytesMessage()
      message.writeBytes(body.getBytes("UTF-8"))
      producer.send(message)
    }
    producer.close()
  }

  /** The first message of a reader with this selector. */
  private def first(session: Session, comparison: String): Message = {
    val consumer = session.createConsumer(fromZero, s"amqp.annotation.$comparison")
    try consumer.receive(testTimeout.toMillis)
    finally consumer.close()
  }

  private def body(message: Message): String = new String(message.getBody(classOf[Array[Byte]]), "UTF-8")

  test("Qpid JMS sends, and reads from the position of its selector") {
    val jms = session()
    send(jms, "a", "b", "c")
    assert(body(first(jms, "x-opt-sequence-number > '0'")) == "b")
    assert(body(first(jms, "x-opt-sequence-number >= '2'")) == "c")
    assert(body(first(jms, "x-opt-enqueuedtimeutc >= 0")) == "a")
  }

  test("Qpid JMS gets the service's refusals of a filter, a partition and a policy") {
    val jms = session()
    def refused(action: => Any): JMSException = intercept[JMSException](action)
    assert(refused(first(jms, "color > '1'")).getMessage.contains("is not a valid amqp filter for EventHub entities"))
    assert(refused(jms.createProducer(new JmsQueue("hub1/Partitions/9"))).getMessage.contains("between 0 and 3"))
    assert(refused(session("nobody")).getMessage.contains("SASL"))
  }
}
