package localhub.explorer

import localhub.schemas.{SchemaFormat, SchemaGroupConfig}

/** The schema registry in the Data Explorer, and bodies decoded with it. */
class ExplorerSchemasSuite extends ExplorerFixture {

  private val user = """{"type":"record","name":"User","fields":[{"name":"name","type":"string"}]}"""

  private def registered(content: String): String =
    hub.schemas.register("people", "com.example.User", SchemaFormat.Avro, content).map(_.id).getOrElse("")

  override protected def prepare(): Unit = {
    hub.schemas.ensureGroup(SchemaGroupConfig("people"))
    hub.schemas.ensureGroup(SchemaGroupConfig("plain", SchemaFormat.Json))
    val id = registered(user)
    registered(user.replace("\"string\"", "[\"null\",\"string\"]"))
    store("telemetry", ujson.Obj("bodyBase64" -> "BkFkYQ==", "contentType" -> s"avro/binary+$id"))
  }

  inBrowser("an event is listed and opened with its decoded body and its schema") {
    eventually(assert(text("#events tr.event td.text") == """{"name":"Ada"}"""))
    click("#events tr.event")
    eventually {
      assert(text("#events tr.detail pre").contains("\"name\": \"Ada\""))
      assert(
        count("#events tr.detail pre") == 2 && text("#events tr.detail pre:nth-of-type(2)").contains("06 41 64 61")
      )
      assert(text("#events tr.detail dl").contains("people/com.example.User, version 1 (Avro)"))
    }
    click("#events tr.event")
  }

  inBrowser("the schemas are listed with their versions, and a click opens them") {
    eventually(assert(browser.evaluate("document.querySelector('#schemas-panel').hidden === false").bool))
    run("document.querySelector('#schemas-panel').open = true")
    eventually {
      assert(count("#schemas tbody tr") == 1 && text("#schemas tbody tr").contains("com.example.User"))
      assert(text("#schemas-message") == "Groups without a schema: plain (Json)")
    }
    click("#schemas tbody tr")
    eventually {
      val opened = text("#schemas tr.detail")
      assert(opened.indexOf("Version 2, id ") >= 0 && opened.indexOf("Version 1, id ") > opened.indexOf("Version 2"))
      assert(opened.contains("\"type\": \"record\""))
    }
    registered(user.replace("\"string\"", "\"bytes\""))
    eventually(assert(text("#schemas tbody tr td:nth-child(4)") == "3"))
  }
}
