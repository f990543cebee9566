package localhub.http

import java.time.Duration
import java.util.Base64

import localhub.SettingParser
import localhub.amqp.layer.Pem
import localhub.authority.{
  AuthorityFault,
  AuthorityFaultAction,
  AuthorityRequest,
  AuthorityRequestKind,
  HubAuthority,
  LocalAuthority,
  LocalAuthorityConfig
}

/** The authority, its settings, faults and requests as JSON. */
private[localhub] object AuthorityJson {

  def apply(authority: LocalAuthority, host: HubAuthority): ujson.Obj = ujson.Obj(
    "url" -> authority.url,
    "tenantId" -> authority.tenantId,
    "identityUrl" -> authority.identityUrl,
    "identityEndpoint" -> authority.identityEndpoint,
    "identityHeader" -> authority.identityHeader,
    "tokenLifetime" -> authority.tenant.tokenLifetime.toString,
    "clockOffset" -> authority.tenant.clockOffset.toString,
    "certificate" -> host.trusted(authority).map(Pem.of(_)).mkString,
    "trustStore" -> Base64.getEncoder.encodeToString(host.trustStore(authority)),
    "trustStorePassword" -> HubAuthority.Password
  )

  /** Settings of a new authority: `{"port": 0, "tenantId": "...", "tokenLifetime": "1h"}`. */
  def config(json: ujson.Value, defaults: LocalAuthorityConfig): LocalAuthorityConfig = {
    val fields = new JsonFields("an authority", json, Seq("port", "tenantId", "tokenLifetime"))
    defaults.copy(
      port = fields.count("port").getOrElse(0),
      tenantId = fields.text("tenantId").getOrElse(defaults.tenantId),
      tokenLifetime = fields.duration("tokenLifetime").getOrElse(defaults.tokenLifetime)
    )
  }

  def change(authority: LocalAuthority, json: ujson.Value): Unit = {
    val fields = new JsonFields("a change of the authority", json, Seq("tokenLifetime", "clockOffset"))
    fields.duration("tokenLifetime").foreach(authority.setTokenLifetime)
    fields.signedDuration("clockOffset").foreach(authority.setClockOffset)
  }

  /** `{"action": "throttle", "time": "2s", "on": "token", "count": 1}`. */
  def fault(json: ujson.Value): AuthorityFault = {
    val fields = new JsonFields("a fault", json, Seq("action", "time", "status", "on", "count"))
    val action = fields.text("action") match {
      case Some("throttle") => AuthorityFaultAction.Throttle(fields.duration("time").getOrElse(Duration.ofSeconds(1)))
      case Some("fail") => AuthorityFaultAction.Fail(fields.count("status").getOrElse(503))
      case Some("delay") =>
        AuthorityFaultAction.Delay(fields.duration("time").getOrElse(throw BadRequest("'delay' needs a 'time'.")))
      case Some("drop") => AuthorityFaultAction.Drop
      case other =>
        throw BadRequest(s"'${other.mkString}' is not an action; expected one of throttle, fail, delay, drop.")
    }
    val kind = fields.text("on").map { name =>
      AuthorityRequestKind.all.find(_.name == name).getOrElse(throw BadRequest(
        s"on is '$name'; expected one of ${AuthorityRequestKind.all.map(_.name).mkString(", ")}."
      ))
    }
    AuthorityFault(action, kind, fields.count("count"))
  }

  def fault(id: Long, fault: AuthorityFault): ujson.Obj = {
    val (action, time, status) = fault.action match {
      case AuthorityFaultAction.Throttle(retryAfter) => ("throttle", Some(retryAfter), None)
      case AuthorityFaultAction.Fail(code) => ("fail", None, Some(code))
      case AuthorityFaultAction.Delay(delay) => ("delay", Some(delay), None)
      case AuthorityFaultAction.Drop => ("drop", None, None)
    }
    ujson.Obj(
      "id" -> HubJson.number(id),
      "action" -> action,
      "time" -> optional(time)(value => ujson.Str(value.toString)),
      "status" -> optional(status)(value => ujson.Num(value.toDouble)),
      "on" -> optional(fault.on)(kind => ujson.Str(kind.name)),
      "count" -> optional(fault.count)(value => ujson.Num(value.toDouble))
    )
  }

  def request(request: AuthorityRequest): ujson.Obj = ujson.Obj(
    "time" -> request.time.toString,
    "kind" -> request.kind.name,
    "method" -> request.method,
    "path" -> request.path,
    "clientId" -> optional(request.clientId)(ujson.Str(_)),
    "status" -> optional(request.status)(value => ujson.Num(value.toDouble))
  )

  private def optional[A](value: Option[A])(json: A => ujson.Value): ujson.Value =
    value.fold[ujson.Value](ujson.Null)(json)
}

/** The fields of a JSON object in a request. */
private[http] final class JsonFields(what: String, json: ujson.Value, known: Seq[String]) {

  private val fields =
    json.objOpt.getOrElse(throw BadRequest(s"The body of $what is a JSON object.")).toMap.filterNot(_._2.isNull)

  fields.keys.find(!known.contains(_)).foreach { unknown =>
    throw BadRequest(s"'$unknown' is not a field of $what; expected one of ${known.mkString(", ")}.")
  }

  def text(name: String): Option[String] =
    fields.get(name).map(value => value.strOpt.getOrElse(throw BadRequest(s"'$name' is $value; expected a text.")))

  def count(name: String): Option[Int] = fields.get(name).map { value =>
    value.numOpt.filter(number => number.isValidInt && number >= 0).map(_.toInt)
      .getOrElse(throw BadRequest(s"'$name' is $value; expected a whole number."))
  }

  def duration(name: String): Option[Duration] = text(name).map(SettingParser.duration(name, _))

  /** Reads a [[duration]] that may have a minus sign. */
  def signedDuration(name: String): Option[Duration] = text(name).map { value =>
    val amount = SettingParser.duration(name, value.stripPrefix("-"))
    if (value.startsWith("-")) amount.negated else amount
  }
}
