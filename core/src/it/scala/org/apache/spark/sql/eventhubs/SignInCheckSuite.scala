package org.apache.spark.sql.eventhubs

import java.nio.file.{Files, Paths}

import localhub.auth.{Claim, SharedAccessPolicy}
import localhub.{LocalHub, LocalHubConfig}
import org.apache.spark.eventhubs.EventHubsException
import org.apache.spark.sql.Row
import org.apache.spark.sql.eventhubs.source.ReadSparkFixture
import testkit.TestSuite

/** The format `eventhubs-sign-in`: who signs in, and what they may do. */
class SignInCheckSuite extends TestSuite with ReadSparkFixture {

  private lazy val policies = LocalHub.start(
    LocalHubConfig(policies =
      Seq(
        SharedAccessPolicy("reader", "cmVhZA==", Set(Claim.Listen)),
        SharedAccessPolicy("writer", "d3JpdGU=", Set(Claim.Send)),
        SharedAccessPolicy("both", "Ym90aA==", Set(Claim.Listen, Claim.Send))
      )
    ).withHub("telemetry", 2)
  )

  override protected def afterAll(): Unit = {
    policies.close()
    super.afterAll()
  }

  private def check(policy: String, key: String, more: (String, String)*): Row = {
    val root = policies.connectionString("telemetry")
    val string = root.replaceAll("KeyName=[^;]+;SharedAccessKey=[^;]+", s"KeyName=$policy;SharedAccessKey=$key")
    val options = Map("eventhubs.connectionString" -> string, "eventhubs.operationTimeout" -> "10s") ++ more
    spark.read.format("eventhubs-sign-in").options(options).load().collect().head
  }

  private def facts(row: Row): Seq[Any] =
    Seq("hub", "way", "policy", "consumerGroup", "listen", "send").map(row.getAs[Any](_))

  test("a policy's name, and the directions that its claims allow") {
    assert(facts(check("both", "Ym90aA==")) == Seq("telemetry", "key", "both", "$Default", true, true))
    assert(facts(check("reader", "cmVhZA==")) == Seq("telemetry", "key", "reader", "$Default", true, false))
    val writer = check("writer", "d3JpdGU=")
    assert(facts(writer) == Seq("telemetry", "key", "writer", "$Default", false, true))
    assert(writer.getAs[String]("listenProblem").contains("'Listen' claim"))
    assert(writer.getAs[String]("listenProblem").contains("the role 'Azure Event Hubs Data Receiver' has it"))
    assert(check("reader", "cmVhZA==").getAs[String]("sendProblem").contains("'Azure Event Hubs Data Sender'"))
  }

  test("a wrong key may do nothing, and an unknown consumer group is a problem of reading only") {
    val wrong = check("both", "d3Jvbmc=")
    assert(facts(wrong).takeRight(2) == Seq(false, false) && !wrong.toString.contains("d3Jvbmc="))
    val group = check("both", "Ym90aA==", "eventhubs.consumerGroup" -> "nobody")
    assert(facts(group).takeRight(3) == Seq("nobody", false, true))
    assert(group.getAs[String]("listenProblem").contains("EVENTHUBS_NOT_FOUND"))
  }

  test("a list of hubs is refused, and not looked for as one hub") {
    val hub = policies.connectionString("telemetry")
    val list = Map("eventhubs.connectionString" -> hub, "eventhubs.name" -> "telemetry,other")
    val refused = intercept[EventHubsException](spark.read.format("eventhubs-sign-in").options(list).load())
    assert(refused.getCondition == "EVENTHUBS_INVALID_OPTION" && refused.getMessage.contains("one event hub"))
  }

  test("a relative path names a file of the working directory, where YARN puts files") {
    val file = Files.createTempFile(Paths.get("").toAbsolutePath, "connection", ".txt")
    val options = Map("eventhubs.connectionString" -> s"{file:${file.getFileName}}")
    val row =
      try {
        Files.writeString(file, policies.connectionString("telemetry"))
        spark.read.format("eventhubs-sign-in").options(options).load().collect().head
      } finally Files.delete(file)
    assert(row.getAs[Boolean]("listen"))
  }

  test("it reads and sends no event, and leaves no connection open") {
    check("both", "Ym90aA==")
    eventually("a connection stays open")(policies.amqp.counters.openConnections == 0)
  }

  test("a hub that does not run is an error, not a report") {
    val dead = Map("eventhubs.connectionString" -> policies.connectionString("telemetry").replaceAll(":\\d+", ":1"))
    val failed = intercept[EventHubsException](
      spark.read.format("eventhubs-sign-in").options(dead).load().collect()
    )
    assert(failed.getCondition == "EVENTHUBS_UNREACHABLE")
  }
}
