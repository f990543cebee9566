package localhub.http

/** How to connect to this namespace, for the Data Explorer and for programs that only know its HTTP port. */
final class NamespaceRoutes(connectionString: String, amqpPort: Int) extends Routes {
  override val answer: PartialFunction[Request, Reply] = { case Request("GET", List("namespace"), _, _) =>
    Reply.json(200, ujson.Obj("connectionString" -> connectionString, "amqpPort" -> amqpPort))
  }
}
