package localhub.http

import localhub.schemas.{RegisteredSchema, SchemaFormat, SchemaGroupConfig, SchemaRegistry}

/** Creates schema groups, which clients of the service's registry cannot, and shows what the registry has. */
private[localhub] final class SchemaRoutes(registry: SchemaRegistry) extends Routes {
  import SchemaRoutes._

  override val answer: PartialFunction[Request, Response] = {
    case Request("GET", List("schema-groups"), _, _) =>
      Response.json(200, ujson.Obj("groups" -> ujson.Arr.from(registry.groups.map(group))))
    case Request("PUT", List("schema-groups", name), query, _) => put(name, query)
    case Request("GET", List("schema-groups", name, "schemas"), _, _) =>
      registry.schemas(name).fold(Response.error(404, s"There is no schema group '$name'."))(found =>
        Response.json(200, ujson.Obj("schemas" -> ujson.Arr.from(found.map(facts))))
      )
    case Request("GET", List("schema-groups", name, "schemas", schema), _, _) =>
      registry.versions(name, schema).fold(
        refusal => Response.error(404, refusal.message),
        all => Response.json(200, ujson.Obj("versions" -> ujson.Arr.from(all.map(whole))))
      )
    case Request("GET", List("schemas", id), _, _) =>
      registry.byId(id).fold(refusal => Response.error(404, refusal.message), found => Response.json(200, whole(found)))
  }

  private def put(name: String, query: Map[String, String]): Response = {
    Parameters.check(query, "format")
    val format = query.get("format").fold[SchemaFormat](SchemaFormat.Avro) { text =>
      SchemaFormat.named(text).getOrElse(
        throw BadRequest(s"format is '$text'; expected one of ${SchemaFormat.all.mkString(", ")}.")
      )
    }
    val config = SchemaGroupConfig(name, format)
    Response.json(if (registry.ensureGroup(config)) 201 else 200, group(config))
  }

  private def group(config: SchemaGroupConfig): ujson.Obj = ujson.Obj(
    "name" -> config.name,
    "format" -> config.format.name,
    "schemas" -> registry.schemas(config.name).fold(0)(_.size)
  )
}

private object SchemaRoutes {

  def facts(schema: RegisteredSchema): ujson.Obj = ujson.Obj(
    "id" -> schema.id,
    "group" -> schema.group,
    "name" -> schema.name,
    "version" -> schema.version,
    "format" -> schema.format.name,
    "createdAt" -> schema.createdAt.toString
  )

  def whole(schema: RegisteredSchema): ujson.Obj = {
    val json = facts(schema)
    json("content") = schema.content
    json
  }
}
