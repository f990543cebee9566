package localhub.amqp.link

import org.apache.qpid.proton.amqp.messaging.AmqpValue

import localhub.amqp.fault.{FaultAction, Occasion}
import localhub.amqp.server.LinkAddress

/** Claims-based security: a client puts a token here for each resource that it uses on the connection. */
private[amqp] object CbsNode {

  def answer(context: LinkContext)(request: Request, reply: Answer => Unit): Unit =
    (request.property("operation"), request.property("type"), request.property("name"), request.body) match {
      case (Some("put-token"), Some(tokenType), Some(audience), Some(body: AmqpValue)) =>
        val put = () => reply(putToken(context, tokenType, String.valueOf(body.getValue), audience))
        context.server.faults.at(Occasion.PutToken, LinkAddress.parse(audience).scope).map(_.action) match {
          case None => put()
          case Some(FaultAction.RefuseToken) =>
            reply(Answer(401, "InvalidSignature: An injected fault refuses the token."))
          case Some(FaultAction.Delay(time)) => context.executeLater(time, () => put())
          case Some(_) => context.drop()
        }
      case _ =>
        reply(Answer(
          400,
          "Expected the application properties operation=put-token, type and name, and the token as a string value."
        ))
    }

  private def putToken(context: LinkContext, tokenType: String, token: String, audience: String): Answer =
    context.server.authority.authorize(tokenType, token, audience) match {
      case Right(grant) =>
        context.grants.add(grant)
        Answer(202, "Accepted")
      // No error condition: with one, the Python SDK ignores status and description.
      case Left(failure) => Answer(401, failure.description)
    }
}
