package localhub.cli

import java.nio.file.{Files, Path}
import java.time.Duration

import localhub.auth.{Role, RoleAssignment}
import localhub.authority.{ClientSecret, LocalAuthorityConfig, ManagedIdentityKind}
import testkit.TestSuite

class AuthorityArgumentsSuite extends TestSuite {

  private def parse(args: String*): Option[LocalAuthorityConfig] =
    ArgumentParser.parse(args).toOption.get.hub.authority

  private def mistake(args: String*): String = intercept[UsageException](ArgumentParser.parse(args)).getMessage

  private def file(content: String): Path = Files.writeString(Files.createTempFile("authority", ".json"), content)

  private def refusal(content: String): String =
    mistake("--authority-port", "0", "--authority-config", file(content).toString)

  test("there is no authority without its port") {
    assert(parse().isEmpty)
    assert(parse("--authority-port", "8443").map(_.port).contains(8443))
    assert(parse("--authority-port", "0", "--host", "0.0.0.0").map(_.host).contains("0.0.0.0"))
    assert(mistake("--authority-config", "x").contains("needs --authority-port"))
    assert(mistake("--authority-port", "70000").contains("expected a port"))
  }

  test("applications are read from a file") {
    val config = parse(
      "--authority-port",
      "0",
      "--authority-config",
      file("""{"tenantId": "t", "tokenLifetime": "5m", "applications": [
        {"name": "pipeline", "clientId": "c", "secrets": ["a", {"value": "b", "expiresAt": "2026-01-01T00:00:00Z"}],
         "federatedSubjects": ["s"], "roles": ["Data Sender", {"role": "Azure Event Hubs Data Receiver", "hub": "h",
         "consumerGroup": "g"}]},
        {"name": "machine", "managedIdentity": "system"}]}""").toString
    ).get
    assert((config.tenantId, config.tokenLifetime) == ("t", Duration.ofMinutes(5)))
    val Seq(pipeline, machine) = config.applications: @unchecked
    assert((pipeline.name, pipeline.clientId, pipeline.federatedSubjects) == ("pipeline", "c", Seq("s")))
    assert(pipeline.secrets.map(_.value) == Seq("a", "b") && pipeline.secrets.map(_.expiresAt.nonEmpty) == Seq(
      false,
      true
    ))
    assert(pipeline.roles == Seq(
      RoleAssignment(Role.DataSender),
      RoleAssignment(Role.DataReceiver, Some("h"), Some("g"))
    ))
    assert(machine.managedIdentity.contains(ManagedIdentityKind.SystemAssigned) && machine.clientId.nonEmpty)
    assert(!ClientSecret("hidden").toString.contains("hidden"))
  }

  test("a mistake in the file is named, without a secret") {
    assert(refusal("{").contains("is not JSON"))
    assert(refusal("""{"tenant": "t"}""").contains("'tenant' is not a field; expected one of tenantId"))
    assert(refusal(
      """{"applications": [{"name": "p", "secret": "x"}]}"""
    ).contains("'secret' is not a field of an application"))
    assert(refusal("""{"applications": [{"name": "p", "roles": ["Reader"]}]}""").contains("'Reader' is not a role"))
    assert(refusal("""{"applications": [{"name": "p", "certificates": ["x"]}]}""").contains("PEM"))
    assert(refusal(
      """{"applications": [{"name": "p", "managedIdentity": "both"}]}"""
    ).contains("expected 'system' or 'user'"))
    assert(refusal("""{"tokenLifetime": "soon"}""").contains("soon"))
    assert(refusal("""{"tokenLifetime": 5}""").contains("--authority-config"))
    assert(mistake("--authority-port", "0", "--authority-config", "/nowhere").contains("cannot be read"))
  }
}
