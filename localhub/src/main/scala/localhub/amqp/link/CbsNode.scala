package localhub.amqp.link

import org.apache.qpid.proton.amqp.messaging.AmqpValue

import localhub.amqp.LinkAddress
import localhub.amqp.fault.{FaultAction, Occasion}

/** Claims based security: a client puts a token here for each resource that it is going to use on the connection. */
private[amqp] object CbsNode {

  def answer(host: LinkHost)(request: Request, reply: Answer => Unit): Unit =
    (request.property("operation"), request.property("type"), request.property("name"), request.body) match {
      case (Some("put-token"), Some(tokenType), Some(audience), Some(body: AmqpValue)) =>
        val put = () => reply(putToken(host, tokenType, String.valueOf(body.getValue), audience))
        host.server.faults.at(Occasion.PutToken, LinkAddress.parse(audience).scope).map(_.action) match {
          case None => put()
          case Some(FaultAction.RefuseToken) =>
            reply(Answer(401, "InvalidSignature: The token is refused, as was asked for."))
          case Some(FaultAction.Delay(time)) => host.executeLater(time, () => put())
          case Some(_) => host.drop()
        }
      case _ =>
        reply(Answer(
          400,
          "Expected the application properties operation=put-token, type and name, and the token as a string value."
        ))
    }

  private def putToken(host: LinkHost, tokenType: String, token: String, audience: String): Answer =
    host.server.authority.authorize(tokenType, token, audience) match {
      case Right(grant) =>
        host.grants.add(grant)
        Answer(202, "Accepted")
      // Without an error condition: with one, the Python SDK does not look at status and description.
      case Left(failure) => Answer(401, failure.description)
    }
}
