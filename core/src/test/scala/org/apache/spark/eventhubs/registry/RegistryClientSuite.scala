package org.apache.spark.eventhubs.registry

import org.apache.spark.eventhubs.EventHubsException
import testkit.TestSuite

/** The calls of a registry, with a server that answers as a test says. */
class RegistryClientSuite extends TestSuite {
  import RegistryServer._

  private val text = """{"type":"record","name":"R","namespace":"n","fields":[{"name":"a","type":"int"}]}"""
  private val id = "0123456789abcdef0123456789ABCDEF"
  private val known = SchemaId.parse(id).get
  private val name = SchemaName("readings", "n.R")

  private def served[A](replies: Reply*)(test: RegistryServer => A): A = {
    val server = new RegistryServer((number, _) => replies(math.min(number, replies.size) - 1))
    try test(server)
    finally server.close()
  }

  private def client(server: RegistryServer, options: (String, String)*): SchemaRegistry =
    new RegistryClient(server.settings(options: _*))

  private def failure(call: => Any): EventHubsException = intercept[EventHubsException](call)

  test("the schema of an id comes with its format, which the service writes in several ways") {
    for (written <- Seq("application/json; serialization=Avro", "Application/JSON;serialization=avro"))
      served(Reply(200, text, Map("Content-Type" -> written))) { server =>
        val found = client(server).schema(known).get
        assert(found.format == SchemaFormat.Avro && found.text == text && found.avro.map(_.getFullName) == Right("n.R"))
        val asked = server.requests.head
        assert(asked.line == s"GET /$$schemaGroups/$$schemas/$id" && asked.query == "api-version=2022-10")
        assert(asked.headers("authorization").startsWith("SharedAccessSignature "))
      }
  }

  test("an id that the registry does not have is no failure, and asked for once") {
    served(Reply.notFound) { server =>
      assert(client(server).schema(known).isEmpty)
      assert(client(server).newest(name).isEmpty)
      assert(client(server).find(name, SchemaFormat.Avro, text).isEmpty)
      assert(server.requests.size == 3)
    }
  }

  test("the newest version is the largest of all pages, whose links go to no other host") {
    val replies = Seq(page("1,3", Some("https://other.example/$schemaGroups/x?page=2")), page("2,10"), schema(text, id))
    served(replies: _*) { server =>
      assert(client(server).newest(name).get.id == known)
      assert(server.requests.map(_.line) == Seq(
        "GET /$schemaGroups/readings/schemas/n.R/versions",
        "GET /$schemaGroups/x",
        "GET /$schemaGroups/readings/schemas/n.R/versions/10"
      ))
      assert(server.requests(1).query == "page=2&api-version=2022-10")
    }
  }

  test("a list whose next page is an earlier one ends") {
    val path = "/$schemaGroups?api-version=2022-10&page=2"
    served(page(""""a"""", Some(path)), page(""""b"""", Some(path))) { server =>
      assert(client(server).groups() == Seq("a", "b"))
    }
  }

  test("a look-up and a registration send the schema with its format, and names are encoded") {
    val found = Reply(204, headers = Map("Schema-Id" -> id))
    served(found) { server =>
      val spaced = SchemaName("my group", "a b+c")
      assert(client(server).find(spaced, SchemaFormat.Json, "{}").contains(known))
      assert(client(server).register(name, SchemaFormat.Avro, text) == known)
      val (lookup, registration) = (server.requests.head, server.requests.last)
      assert(lookup.line == "POST /$schemaGroups/my%20group/schemas/a%20b%2Bc:get-id" && lookup.body == "{}")
      assert(lookup.headers("content-type") == SchemaFormat.Json.contentType)
      assert(registration.line == "PUT /$schemaGroups/readings/schemas/n.R" && registration.body == text)
    }
  }

  test("a missing group is named by a registration") {
    served(Reply.notFound) { server =>
      val missing = failure(client(server).register(name, SchemaFormat.Avro, text))
      assert(missing.getCondition == "EVENTHUBS_SCHEMA_REGISTRY.NOT_FOUND")
      assert(missing.getMessage.contains("it has no schema group 'readings'"))
    }
  }

  test("a refusal is named with what the service says, without its tracking id, and not repeated") {
    val body = """{"error":{"code":"Unauthorized","message":"claim missing. TrackingId:1f, Timestamp:x"}}"""
    for (status <- Seq(401, 403))
      served(Reply(status, body)) { server =>
        val refused = failure(client(server).schema(known))
        assert(refused.getCondition == "EVENTHUBS_SCHEMA_REGISTRY.AUTHENTICATION")
        assert(refused.getMessage.contains(s"(status $status: claim missing.)") && server.requests.size == 1)
      }
  }

  test("a page of HTML is no answer, whatever its status") {
    for (status <- Seq(200, 302, 404))
      served(Reply(status, "<html/>", Map("Content-Type" -> "text/html"))) { server =>
        val other = failure(client(server).schema(known))
        assert(other.getCondition == "EVENTHUBS_SCHEMA_REGISTRY.SERVICE")
        assert(other.getMessage.contains("text/html"))
        assert(failure(client(server).groups()).getCondition == "EVENTHUBS_SCHEMA_REGISTRY.SERVICE")
      }
  }

  test("that something at this address has no such page says nothing about a schema") {
    for (body <- Seq("", "no route", """{"error": "no route"}"""))
      served(Reply(404, body, Map("Content-Type" -> "text/plain"))) { server =>
        assert(failure(client(server).schema(known)).getCondition == "EVENTHUBS_SCHEMA_REGISTRY.SERVICE")
      }
  }

  test("the link of a next page that is no path is not followed") {
    served(page(""""a"""", Some("@other.example/x"))) { server =>
      assert(client(server).groups() == Seq("a") && server.requests.size == 1)
    }
  }

  test("an answer that lacks its id or its list is refused") {
    served(Reply(204)) { server =>
      assert(failure(client(server).find(name, SchemaFormat.Avro, text)).getMessage.contains("no schema id"))
    }
    for (body <- Seq("[]", "{}", """{"Value":[1]}"""))
      served(Reply(200, body))(server => assert(failure(client(server).groups()).getMessage.contains("no list")))
  }

  test("a busy registry is asked again, when it says so") {
    val busy = Reply(429, headers = Map("Retry-After" -> "0"))
    served(busy, Reply(503), schema(text, id)) { server =>
      assert(client(server).schema(known).map(_.text).contains(text))
      assert(server.requests.size == 3)
    }
  }

  test("a registry that stays away is named after the operation's time") {
    served(Reply(503)) { server =>
      val away = failure(client(server, "eventhubs.operationTimeout" -> "1s").schema(known))
      assert(away.getCondition == "EVENTHUBS_SCHEMA_REGISTRY.UNREACHABLE" && server.requests.size > 1)
    }
    val free = new java.net.ServerSocket(0)
    val port = free.getLocalPort
    free.close()
    val settings = RegistryServer.settings(port, "eventhubs.operationTimeout" -> "1s")
    val none = failure(new RegistryClient(settings).schema(known))
    assert(none.getCondition == "EVENTHUBS_SCHEMA_REGISTRY.UNREACHABLE")
  }

  test("a cancelled task does not wait for a registry that is away") {
    served(Reply(503)) { server =>
      val client = new RegistryClient(server.settings(), () => throw new InterruptedException("killed"))
      intercept[InterruptedException](client.schema(known))
      assert(server.requests.size == 1)
    }
  }
}
