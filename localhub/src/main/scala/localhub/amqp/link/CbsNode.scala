package localhub.amqp.link

import org.apache.qpid.proton.amqp.messaging.AmqpValue

/** Claims based security: a client puts a token here for each resource that it is going to use on the connection. */
private[amqp] object CbsNode {

  def answer(host: LinkHost)(request: Request): Answer =
    (request.property("operation"), request.property("type"), request.property("name"), request.body) match {
      case (Some("put-token"), Some(tokenType), Some(audience), Some(body: AmqpValue)) =>
        host.server.authority.authorize(tokenType, String.valueOf(body.getValue), audience) match {
          case Right(grant) =>
            host.grants.add(grant)
            Answer(202, "Accepted")
          // Without an error condition: with one, the Python SDK does not look at status and description.
          case Left(failure) => Answer(401, failure.description)
        }
      case _ =>
        Answer(
          400,
          "Expected the application properties operation=put-token, type and name, and the token as a string value."
        )
    }
}
