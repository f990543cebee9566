package localhub.amqp.server

import org.slf4j.LoggerFactory

import localhub.amqp.layer.{HttpAnswer, HttpHead}
import localhub.auth.{Access, AuthFailure, BearerValidator, Claim, Grant, SasValidator, TokenValidator}

/** The tokens of HTTP requests about the namespace. They must have the Manage claim on it. */
private[amqp] final class ManagerTokens(tokens: TokenValidator) {
  import ManagerTokens._

  /** The answer for the host of the request, or the refusal of its token. */
  def ofManager(request: HttpHead, what: String, claim: String)(answer: String => HttpAnswer): HttpAnswer = {
    val host = ManagerTokens.host(request)
    authorized(request, claim) match {
      case Right(_) => answer(host)
      case Left(reason) =>
        log.warn(s"A token for $what is refused: $reason")
        error("401 Unauthorized", reason)
    }
  }

  /** What the request's token allows in the namespace. */
  def grant(request: HttpHead): Either[AuthFailure, Grant] = {
    val host = ManagerTokens.host(request)
    val audience = s"https://$host/"
    request.headers.get("authorization") match {
      case None => Left(AuthFailure.Malformed)
      case Some(text) if isBearer(request) =>
        tokens.authorize(BearerValidator.TokenType, text.drop(Bearer.length).trim, audience, host)
      case Some(text) => tokens.authorize(SasValidator.TokenType, text, audience, host)
    }
  }

  def isBearer(request: HttpHead): Boolean =
    request.headers.get("authorization").exists(_.regionMatches(true, 0, Bearer, 0, Bearer.length))

  private def authorized(request: HttpHead, claim: String): Either[String, Grant] =
    grant(request).left.map(_.description).filterOrElse(
      _.allows(Access(Claim.Manage, "")),
      s"Manage,$claim claims required for this operation."
    )
}

private[amqp] object ManagerTokens {
  private val log = LoggerFactory.getLogger(getClass)
  private val Bearer = "Bearer "

  private def host(request: HttpHead): String = request.headers.getOrElse("host", "localhost").takeWhile(_ != ':')

  /** An answer in the service's form. */
  def error(status: String, problem: String): HttpAnswer = HttpAnswer(
    status,
    "application/xml; charset=utf-8",
    s"<Error><Code>${status.takeWhile(_ != ' ')}</Code>" +
      s"<Detail>${HubFeed.escaped(TrackingId.behind(problem))}</Detail></Error>"
  )
}
