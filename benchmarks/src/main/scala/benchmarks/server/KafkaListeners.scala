package benchmarks.server

/** The ports of the Kafka broker: a plain one for the harness, one for the controller, and a secured one. */
object KafkaListeners {

  /** Event Hubs' Kafka endpoint asks for this protocol and for PLAIN. */
  val Secured = "SASL_SSL"

  private val LoginModule = "org.apache.kafka.common.security.plain.PlainLoginModule"
  private val User = "benchmark"
  private val Password = "benchmark"

  /** Settings of a broker with a plain port. */
  private[server] def plain(ports: Seq[Int]): String =
    s"""listeners=${plainOnes(ports)}
       |listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
       |""".stripMargin

  /**
   * Settings of a broker with a plain port, and a secured one that clients reach through a proxy.
   *
   * @param ports plain, controller, secured
   */
  private[server] def secured(ports: Seq[Int], proxyPort: Int, certificate: ServerCertificate): String =
    s"""listeners=${plainOnes(ports)},$Secured://127.0.0.1:${ports(2)}
       |advertised.listeners=PLAINTEXT://127.0.0.1:${ports.head},$Secured://127.0.0.1:$proxyPort
       |listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,$Secured:$Secured
       |sasl.enabled.mechanisms=PLAIN
       |listener.name.sasl_ssl.plain.sasl.jaas.config=$LoginModule required user_$User="$Password";
       |ssl.keystore.type=PKCS12
       |ssl.keystore.location=${certificate.keyStore}
       |ssl.keystore.password=${certificate.password}
       |""".stripMargin

  /** Options of Spark's Kafka connector, for an address of [[KafkaProcess]]. The JVM trusts the certificate. */
  def clientOptions(address: String): Map[String, String] =
    if (!address.startsWith(Secured)) Map("kafka.bootstrap.servers" -> address)
    else
      Map(
        "kafka.bootstrap.servers" -> address.stripPrefix(s"$Secured://"),
        "kafka.security.protocol" -> Secured,
        "kafka.sasl.mechanism" -> "PLAIN",
        "kafka.sasl.jaas.config" -> s"""$LoginModule required username="$User" password="$Password";"""
      )

  private def plainOnes(ports: Seq[Int]): String =
    s"PLAINTEXT://127.0.0.1:${ports.head},CONTROLLER://127.0.0.1:${ports(1)}"
}
