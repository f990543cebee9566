package localhub.amqp.link

import org.apache.qpid.proton.amqp.messaging.AmqpValue
import org.slf4j.LoggerFactory

import localhub.amqp.fault.{FaultAction, Occasion}
import localhub.amqp.server.{AmqpFailure, LinkAddress}
import localhub.auth.ResourcePath

/** Claims-based security: a client puts a token here for each resource that it uses on the connection. */
private[amqp] object CbsNode {
  private val log = LoggerFactory.getLogger(getClass)

  private val AuthFailed = Some("com.microsoft:auth-failed")

  def answer(context: LinkContext)(request: Request, reply: Answer => Unit): Unit =
    (request.property("operation"), request.property("type"), request.property("name"), request.body) match {
      case (Some("put-token"), Some(tokenType), Some(audience), Some(body: AmqpValue)) =>
        val put = () => reply(putToken(context, tokenType, String.valueOf(body.getValue), audience))
        context.server.faults.at(Occasion.PutToken, LinkAddress.parse(audience).scope).map(_.action) match {
          case None => put()
          case Some(FaultAction.RefuseToken) =>
            reply(refusal(context, audience, "InvalidSignature: An injected fault refuses the token."))
          case Some(FaultAction.Delay(time)) => context.executeLater(time, () => put())
          case Some(_) => context.drop()
        }
      case _ => reply(malformed(request))
    }

  private def malformed(request: Request): Answer = {
    val what = request.firstMissing("type", "name").fold("'operation'")(name => s"'$name'")
    Answer(
      400,
      Some(
        s"Property $what in the 'application-properties' section is either missing, has the wrong type, or has an " +
          "unexpected value."
      )
    )
  }

  private def putToken(context: LinkContext, tokenType: String, token: String, audience: String): Answer =
    context.server.tokens.authorize(tokenType, token, audience, context.hostname) match {
      case Right(grant) if !exists(context, grant.resource) =>
        val failure = AmqpFailure.noHub(grant.resource.first.mkString)
        Answer(404, Some(failure.description), Some(failure.condition))
      case Right(grant) =>
        context.grants.add(grant)
        Answer(202, Some("Accepted"))
      case Left(failure) => refusal(context, audience, failure.description)
    }

  private def exists(context: LinkContext, resource: ResourcePath): Boolean =
    resource.first.forall(context.server.namespace.find(_).nonEmpty)

  private def refusal(context: LinkContext, audience: String, reason: String): Answer = {
    log.warn(s"A token for '$audience' on connection ${context.connectionId} is refused: $reason")
    Answer(401, Some(reason), AuthFailed)
  }
}
