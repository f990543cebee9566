package localhub.http

import java.io.IOException
import java.time.Duration
import java.util.Base64

import scala.util.Try

import localhub.authority.{
  Application,
  ApplicationJson,
  ClientCertificate,
  HubAuthority,
  LocalAuthority,
  LocalAuthorityConfig
}

/**
 * Starts and stops the stand-in authority; its applications, tokens, faults and requests.
 *
 * @param defaults of an authority that a request starts
 */
private[localhub] final class AuthorityRoutes(host: HubAuthority, defaults: LocalAuthorityConfig) extends Routes {

  override val answer: PartialFunction[Request, Response] = {
    case Request("POST", List("authority"), _, body) => start(body)
    case Request("GET", List("authority"), _, _) => running(found => Response.json(200, AuthorityJson(found, host)))
    case Request("PUT", List("authority"), _, body) => running(change(_, body))
    case Request("DELETE", List("authority"), _, _) =>
      host.close()
      Response.NoContent
    case Request("GET", List("authority", "applications"), _, _) =>
      running(found => list("applications", found.applications.map(ApplicationJson(_))))
    case Request("PUT", List("authority", "applications", id), _, body) => running(put(_, id, body))
    case Request("GET", List("authority", "applications", id), _, _) =>
      application(id)((_, found) => Response.json(200, ApplicationJson(found)))
    case Request("DELETE", List("authority", "applications", id), _, _) =>
      running(authority => if (authority.remove(id)) Response.NoContent else unknown(id))
    case Request("POST", List("authority", "applications", id, "certificates"), _, body) =>
      application(id)(certify(_, _, body))
    case Request("POST", List("authority", "applications", id, "tokens"), _, body) => application(id)(token(_, _, body))
    case Request("POST", List("authority", "federated-tokens"), _, body) => running(federatedToken(_, body))
    case Request("GET", List("authority", "faults"), _, _) =>
      running(found => list("faults", found.faults.active.map { case (id, fault) => AuthorityJson.fault(id, fault) }))
    case Request("POST", List("authority", "faults"), _, body) => running { authority =>
        val fault = AuthorityJson.fault(json(body))
        Response.json(201, AuthorityJson.fault(authority.faults.inject(fault), fault))
      }
    case Request("DELETE", List("authority", "faults"), _, _) => running { authority =>
        authority.faults.clear()
        Response.NoContent
      }
    case Request("DELETE", List("authority", "faults", id), _, _) => running { authority =>
        if (id.toLongOption.exists(authority.faults.cancel)) Response.NoContent
        else Response.error(404, s"There is no fault '$id'; it may have ended.")
      }
    case Request("GET", List("authority", "requests"), _, _) =>
      running(found => list("requests", found.requests.map(AuthorityJson.request)))
  }

  private def running(use: LocalAuthority => Response): Response = host.current.fold(
    Response.error(404, "This hub has no authority; start one with POST /authority, or with --authority-port.")
  )(authority => refusingMistakes(use(authority)))

  private def application(id: String)(use: (LocalAuthority, Application) => Response): Response =
    running(authority => authority.find(id).fold(unknown(id))(use(authority, _)))

  private def unknown(id: String): Response = Response.error(404, s"The authority has no application '$id'.")

  private def refusingMistakes(response: => Response): Response =
    try response
    catch {
      case mistake: IllegalArgumentException => throw BadRequest(mistake.getMessage.stripPrefix("requirement failed: "))
    }

  private def start(body: Array[Byte]): Response = refusingMistakes {
    val config = AuthorityJson.config(json(body), defaults)
    if (host.current.nonEmpty) Response.error(409, "This hub has an authority already; DELETE /authority ends it.")
    else
      try Response.json(201, AuthorityJson(host.start(config), host))
      catch {
        case failure: IOException =>
          Response.error(409, s"Cannot listen on port ${config.port} for the authority: ${failure.getMessage}.")
      }
  }

  private def change(authority: LocalAuthority, body: Array[Byte]): Response = {
    AuthorityJson.change(authority, json(body))
    Response.json(200, AuthorityJson(authority, host))
  }

  private def put(authority: LocalAuthority, id: String, body: Array[Byte]): Response = {
    val known = authority.find(id)
    val application = authority.register(ApplicationJson.parse(json(body), Some(id), known))
    Response.json(if (known.isEmpty) 201 else 200, ApplicationJson(application))
  }

  private def certify(authority: LocalAuthority, application: Application, body: Array[Byte]): Response = {
    val fields = new JsonFields("a certificate", json(body), Seq("password", "expired", "replace"))
    val certificate = ClientCertificate.generate(application.name, if (isTrue(fields, "expired")) -1 else 365)
    val kept = if (isTrue(fields, "replace")) Nil else application.certificates
    authority.register(application.copy(certificates = kept :+ certificate.certificate))
    val pkcs12 = certificate.pkcs12(fields.text("password").getOrElse(""))
    Response.json(
      201,
      ujson.Obj("pem" -> certificate.pem, "pkcs12" -> Base64.getEncoder.encodeToString(pkcs12))
    )
  }

  private def isTrue(fields: JsonFields, name: String): Boolean = fields.text(name).contains("true")

  private def token(authority: LocalAuthority, application: Application, body: Array[Byte]): Response = {
    val fields = new JsonFields("a token", json(body), Seq("audience", "lifetime", "issuer"))
    val audience = fields.text("audience").getOrElse(LocalAuthority.EventHubs)
    val text = authority.token(application, audience, fields.signedDuration("lifetime"), fields.text("issuer"))
    Response.json(201, ujson.Obj("token" -> text))
  }

  private def federatedToken(authority: LocalAuthority, body: Array[Byte]): Response = {
    val fields = new JsonFields("a federated token", json(body), Seq("subject", "audience", "lifetime", "issuer"))
    val text = authority.federatedToken(
      fields.text("subject").getOrElse(throw BadRequest("'subject' is missing.")),
      fields.text("audience").getOrElse("api://AzureADTokenExchange"),
      fields.signedDuration("lifetime").getOrElse(Duration.ofHours(1)),
      fields.text("issuer")
    )
    Response.json(201, ujson.Obj("token" -> text))
  }

  private def list(name: String, all: Seq[ujson.Obj]): Response =
    Response.json(200, ujson.Obj(name -> ujson.Arr.from(all)))

  private def json(body: Array[Byte]): ujson.Value =
    if (body.isEmpty) ujson.Obj()
    else Try(ujson.read(body)).getOrElse(throw BadRequest("The request's body is not JSON."))
}
