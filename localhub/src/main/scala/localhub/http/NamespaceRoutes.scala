package localhub.http

import java.nio.charset.StandardCharsets.US_ASCII

import localhub.amqp.AmqpServer
import localhub.amqp.layer.TlsIdentity

/** How to connect to this namespace, for the Data Explorer and for programs that know only the HTTP port. */
private[localhub] final class NamespaceRoutes(connectionString: String, amqp: AmqpServer, identity: Option[TlsIdentity])
    extends Routes {

  override val answer: PartialFunction[Request, Response] = {
    case Request("GET", List("namespace"), _, _) =>
      Response.json(
        200,
        ujson.Obj(
          "connectionString" -> connectionString,
          "amqpPort" -> amqp.port,
          "tlsPort" -> amqp.tlsPort.fold[ujson.Value](ujson.Null)(port => ujson.Num(port.toDouble))
        )
      )
    case Request("GET", List("certificate"), _, _) =>
      identity.fold(Response.error(404, "This hub has no TLS; start it with --tls-port."))(own =>
        Response(200, "application/x-pem-file", own.certificatePem.getBytes(US_ASCII))
      )
  }
}
