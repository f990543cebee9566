package localhub.amqp.service

import java.net.URI
import java.net.http.HttpRequest.BodyPublishers
import java.net.http.HttpResponse.BodyHandlers
import java.net.http.{HttpClient, HttpRequest, HttpResponse}

import scala.util.Using

import org.scalatest.BeforeAndAfterAll

import localhub.auth.{Claim, Role, SharedAccessPolicy}
import localhub.authority.{Application, LocalAuthorityConfig}
import localhub.http.TestClient
import localhub.log.TempDirectory
import localhub.schemas.{SchemaFormat, SchemaGroupConfig}
import localhub.{LocalHub, LocalHubConfig, ServiceSettings, TlsConfig}
import testkit.{Certificates, TestSuite}

/** Azure Schema Registry on the AMQP and TLS ports. Statuses, headers and texts are those of the SDKs' recordings. */
class SchemaRegistryHttpSuite extends TestSuite with BeforeAndAfterAll {

  private val user = """{"type":"record","name":"User","fields":[{"name":"name","type":"string"}]}"""
  private val avro = SchemaFormat.Avro.contentType
  private val config = LocalHubConfig(
    policies = Seq(SharedAccessPolicy.Root, SharedAccessPolicy("sender", "key", Set(Claim.Send, Claim.Listen))),
    schemaGroups = Seq(SchemaGroupConfig("people"), SchemaGroupConfig("plain", SchemaFormat.Json))
  )

  private final class Registry(authorization: Option[String], root: String, http: HttpClient) {

    def call(
        method: String,
        path: String,
        body: String = "",
        contentType: String = avro,
        version: String = "2022-10"
    ): HttpResponse[String] = {
      val address = if (path.startsWith("http")) path else s"$root/$$schemaGroups$path?api-version=$version"
      val request = HttpRequest.newBuilder(URI.create(address)).header("Content-Type", contentType)
        .method(method, if (method == "GET") BodyPublishers.noBody() else BodyPublishers.ofString(body))
      authorization.foreach(request.header("Authorization", _))
      http.send(request.build(), BodyHandlers.ofString())
    }

    def register(name: String, content: String): HttpResponse[String] = call("PUT", s"/people/schemas/$name", content)
  }

  // An authority takes seconds to start, so that one is for all tests. Each test has groups of its own.
  private lazy val shared = LocalHub.start(config.withTls(TlsConfig(0)).withAuthority(LocalAuthorityConfig()))

  override protected def afterAll(): Unit = shared.close()

  private def bearer(roles: Role*): String = {
    val authority = shared.authority.get
    s"Bearer ${authority.token(authority.register(roles.foldLeft(Application("registry"))(_.withRole(_))))}"
  }

  private lazy val contributor = Some(bearer(Role.SchemaContributor))
  private lazy val registry = plain(shared, contributor)

  private def plain(hub: LocalHub, authorization: Option[String]): Registry =
    new Registry(authorization, s"http://localhost:${hub.amqpPort}", HttpClient.newHttpClient())

  private def header(answer: HttpResponse[String], name: String): String =
    answer.headers.firstValue(name).orElse("(none)")

  private def error(answer: HttpResponse[String], status: Int, code: String): String = {
    assert(answer.statusCode == status, answer.body)
    assert(header(answer, "Content-Type") == "application/json" && header(answer, "x-ms-error-code") == code)
    val json = ujson.read(answer.body)("error")
    assert(json("code").str == code)
    val message = json("message").str
    assert(message.contains(" TrackingId:"))
    message.take(message.indexOf(" TrackingId:"))
  }

  test("a registered schema is found by id, by version and by content, with the service's headers") {
    val registered = registry.register("com.example.User", user)
    assert(registered.statusCode == 204 && registered.body.isEmpty)
    val id = header(registered, "Schema-Id")
    assert(id.matches("[0-9a-f]{32}") && header(registered, "Content-Type") == "(none)")
    val root = header(registered, "Schema-Id-Location").stripSuffix(s"/$$schemas/$id?api-version=2022-10")
    assert(root.matches("http://localhost:\\d+/\\$schemagroups"))
    val versions = s"$root/people/schemas/com.example.User/versions"
    val facts = Seq(
      "Location" -> s"$versions/1?api-version=2022-10",
      "Schema-Id" -> id,
      "Schema-Group-Name" -> "people",
      "Schema-Name" -> "com.example.User",
      "Schema-Version" -> "1",
      "Schema-Versions-Location" -> s"$versions?api-version=2022-10"
    )
    val guid = s"${id.take(8)}-${id.slice(8, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.drop(20)}"
    val found = Seq(s"/$$schemas/$id", s"/$$schemas/$guid", "/people/schemas/com.example.User/versions/1").map { path =>
      val answer = registry.call("GET", path)
      assert(answer.statusCode == 200 && answer.body == user && header(answer, "Content-Type") == avro)
      answer
    }
    val byContent = registry.call("POST", "/people/schemas/com.example.User:get-id", user)
    assert(byContent.statusCode == 204)
    (registered +: byContent +: found).foreach { answer =>
      assert(facts.map(fact => fact._1 -> header(answer, fact._1)) == facts)
    }
  }

  test("groups and versions are listed, in pages that link to the next one") {
    assert(ujson.read(registry.call("GET", "").body) == ujson.Obj("Value" -> Seq("people", "plain")))
    val registered = (1 to 130).map(n => registry.register("Paged", user.replace("name\",\"t", s"f$n\",\"t")))
    assert(registered.forall(_.statusCode == 204))
    val first = ujson.read(registry.call("GET", "/people/schemas/Paged/versions").body)
    assert(first("Value").arr.map(_.num.toInt) == (1 to 100))
    val second = ujson.read(registry.call("GET", first("NextLink").str).body)
    assert(second("Value").arr.map(_.num.toInt) == (101 to 130) && !second.obj.contains("NextLink"))
  }

  test("refusals have the service's status, code and text") {
    def get(path: String) = registry.call("GET", path)
    val unknown = "ffffffffffffffffffffffffffffffff"
    assert(error(get(s"/$$schemas/$unknown"), 404, "ItemNotFound") == s"Schema id $unknown does not exist.")
    assert(error(get("/$schemas/fakeschemaid"), 400, "InvalidRequest").startsWith("SubCode=40000, UnknownType"))
    registry.register("Refused", user)
    assert(error(get("/people/schemas/Refused/versions/2"), 404, "ItemNotFound") ==
      "Schema people/Refused/ver.2 does not exist.")
    assert(error(get("/people/schemas/Refused/versions/x"), 400, "InvalidRequest").contains("'x'"))
    val never = "/people/schemas/never-registered"
    assert(error(registry.call("POST", s"$never:get-id", user), 404, "ItemNotFound") ==
      "Schema people/never-registered does not exist.")
    assert(error(get(s"$never/versions"), 404, "ItemNotFound") == "Schema people/never-registered does not exist.")
    assert(error(registry.register("Refused", ""), 400, "InvalidRequest") ==
      "Error when consuming request body: The body of the message cannot be read because it is empty.")
    assert(error(
      registry.register("Refused", "{"),
      400,
      "InvalidRequest"
    ).startsWith("Json schema validation failed: "))
    val invalid = "application/json; serialization=invalid-format"
    assert(error(registry.call("PUT", "/people/schemas/Refused", user, invalid), 415, "InvalidSchemaType") ==
      "Invalid schema type for PUT request. 'invalid-format' is not supported.")
    assert(error(registry.call("POST", "/people/schemas/Refused:get-id", user, invalid), 415, "InvalidSchemaType") ==
      "Invalid schema type for POST request. 'invalid-format' is not supported.")
    val custom = registry.call("PUT", "/people/schemas/Refused", user, SchemaFormat.Custom.contentType)
    assert(error(custom, 415, "InvalidSchemaType").startsWith("SubCode=41500, "))
    assert(error(registry.call("PUT", "/people/schemas/%24User", user), 400, "InvalidRequest").contains("'$User'"))
    assert(error(registry.call("PUT", "/none/schemas/Refused", user), 404, "ItemNotFound").contains("group none"))
    error(registry.call("PUT", "/people", user), 404, "ItemNotFound")
  }

  test("each version of the API has its formats, and another version is refused") {
    val json = SchemaFormat.Json.contentType
    def put(version: String) = registry.call("PUT", "/plain/schemas/User", "{}", json, version)
    error(put("2021-10"), 415, "InvalidSchemaType")
    assert(put("2022-10").statusCode == 204 && put("2023-07-01").statusCode == 204)
    assert(error(put("2017-04"), 400, "InvalidRequest").contains("'2017-04'"))
    val spaces = registry.call("PUT", "/plain/schemas/User", "{}", "Application/JSON;serialization=json")
    assert(spaces.statusCode == 204)
  }

  test("a schema can have 1 MB, and a larger one is refused") {
    def schema(size: Int) = {
      val empty = """{"type":"fixed","name":"F","size":1,"doc":""}"""
      empty.replace("\"\"", s"\"${"a" * (size - empty.length)}\"")
    }
    val largest = schema(1024 * 1024)
    assert(registry.register("F", largest).statusCode == 204)
    assert(registry.call("GET", "/people/schemas/F/versions/1").body == largest)
    assert(registry.register("F", schema(1024 * 1024 + 1)).statusCode == 413)
  }

  test("the roles of the schema registry, and Data Owner, are needed") {
    def status(method: String, authorization: Option[String]): Int = {
      val asking = plain(shared, authorization)
      val answer = if (method == "PUT") asking.register("User", user) else asking.call(method, "")
      if (answer.statusCode == 401) error(answer, 401, "Unauthorized")
      answer.statusCode
    }
    def role(method: String, roles: Role*): Int = status(method, Some(bearer(roles: _*)))
    assert((role("PUT", Role.SchemaContributor), role("GET", Role.SchemaContributor)) == (204, 200))
    assert((role("PUT", Role.SchemaReader), role("GET", Role.SchemaReader)) == (401, 200))
    assert((role("PUT", Role.DataOwner), role("GET", Role.DataOwner)) == (204, 200))
    assert((role("PUT", Role.DataSender), role("GET", Role.DataReceiver)) == (401, 401))
    assert((role("GET"), status("GET", None), status("GET", Some("Bearer a.b.c"))) == (401, 401, 401))
  }

  test("a signature with Manage is as good as a role, except in a strict service") {
    def status(settings: LocalHubConfig, policy: SharedAccessPolicy): Int =
      Using.resource(LocalHub.start(settings)) { hub =>
        plain(hub, Some(Signatures.of("https://localhost/", policy))).register("User", user).statusCode
      }
    assert(status(config, SharedAccessPolicy.Root) == 204)
    assert(status(config, config.policies.last) == 401)
    assert(status(config.withService(ServiceSettings.Strict), SharedAccessPolicy.Root) == 401)
  }

  test("clients reach it over TLS, and links then have https") {
    val trusted = Certificates.trusting(Certificates.parse(shared.certificatePem.get))
    val root = s"https://localhost:${shared.tlsPort.get}"
    val overTls = new Registry(contributor, root, HttpClient.newBuilder().sslContext(trusted).build())
    val registered = overTls.register("Large", s"""{"type":"fixed","name":"F","size":1,"doc":"${"a" * 500000}"}""")
    assert(registered.statusCode == 204)
    val location = header(registered, "Location")
    assert(location.startsWith(s"$root/"))
    assert(overTls.call("GET", location).body.length > 500000)
  }

  test("groups of the HTTP API are those of the registry, which keeps all over a restart") {
    val root = Some(Signatures.of("https://localhost/", SharedAccessPolicy.Root))
    val settings = config.withDataDir(TempDirectory.create())
    val id = Using.resource(LocalHub.start(settings)) { hub =>
      val management = new TestClient(hub.httpPort)
      assert(management.call("PUT", "/schema-groups/later?format=json").statusCode == 201)
      assert(management.call("PUT", "/schema-groups/later?format=json").statusCode == 200)
      assert(management.call("PUT", "/schema-groups/later?format=avro").statusCode == 400)
      header(plain(hub, root).register("User", user), "Schema-Id")
    }
    Using.resource(LocalHub.start(settings)) { hub =>
      val management = new TestClient(hub.httpPort)
      val groups = management.json("/schema-groups")("groups").arr
      assert(groups.map(group => (group("name").str, group("format").str, group("schemas").num.toInt)) ==
        Seq(("later", "Json", 0), ("people", "Avro", 1), ("plain", "Json", 0)))
      assert(management.json("/schema-groups/people/schemas")("schemas").arr.map(_("id").str) == Seq(id))
      assert(management.json(s"/schemas/$id")("content").str == user)
      assert(management.json("/schema-groups/people/schemas/User")("versions").arr.map(_("version").num) == Seq(1.0))
      assert(plain(hub, root).call("GET", s"/$$schemas/$id").body == user)
    }
  }
}
