package localhub.authority

/** What a client may ask about the authority before it signs in: addresses, keys, aliases of its host. */
private[authority] final class Discovery(tenant: Tenant) {

  /** Defined for the documents of discovery. */
  val answer: PartialFunction[Call, Answer] = {
    case Call("GET", name :: rest, _, _, _) if Discovery.Documents.contains(rest) =>
      known(name)(configuration(name, isSecond = rest.contains("v2.0")))
    case Call("GET", List(_, "discovery", "instance"), _, _, _) => instances
    case Call("GET", List(name, "discovery", "keys"), _, _, _) => known(name)(keys)
    case Call("GET", List(name, "discovery", "v2.0", "keys"), _, _, _) => known(name)(keys)
  }

  private def known(name: String)(found: => Answer): Answer =
    if (tenant.hasName(name)) found else EntraError.unknownTenant(name).answer(tenant.now, tenant.address)

  private def configuration(name: String, isSecond: Boolean): Answer = {
    val root = s"${tenant.address}/$name"
    val version = if (isSecond) "/v2.0" else ""
    Answer.ok(
      "issuer" -> (if (isSecond) s"$root/v2.0" else if (name == Tenant.Adfs) root else tenant.issuer),
      "token_endpoint" -> s"$root/oauth2$version/token",
      "authorization_endpoint" -> s"$root/oauth2$version/authorize",
      "device_authorization_endpoint" -> s"$root/oauth2$version/devicecode",
      "jwks_uri" -> s"$root/discovery$version/keys",
      "token_endpoint_auth_methods_supported" -> ujson.Arr("client_secret_post", "private_key_jwt"),
      "grant_types_supported" -> ujson.Arr("client_credentials"),
      "id_token_signing_alg_values_supported" -> ujson.Arr("RS256"),
      "subject_types_supported" -> ujson.Arr("pairwise"),
      "tenant_region_scope" -> ujson.Null
    )
  }

  private def instances: Answer = {
    val host = tenant.address.stripPrefix("https://")
    Answer.ok(
      "tenant_discovery_endpoint" -> s"${tenant.address}/${tenant.id}/v2.0/.well-known/openid-configuration",
      "api-version" -> "1.1",
      "metadata" -> ujson.Arr(
        ujson.Obj("preferred_network" -> host, "preferred_cache" -> host, "aliases" -> ujson.Arr(host))
      )
    )
  }

  private def keys: Answer = Answer.ok("keys" -> ujson.Arr(tenant.key.toJson))
}

private object Discovery {
  private val Configuration = List(".well-known", "openid-configuration")

  val Documents: Seq[List[String]] = Seq(Configuration, "v2.0" :: Configuration)
}
