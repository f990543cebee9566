package localhub.cli

import localhub.auth.{Claim, SharedAccessPolicy}

/**
 * `sender:Send` or `both:Send,Listen`: a policy beside the one of the connection strings. A key on a command line would
 * be seen by everyone on the machine and is worth nothing here, so every policy has the same fixed word.
 */
object PolicyArgument {
  private val claims = Seq(Claim.Listen, Claim.Send, Claim.Manage)
  private val Expected = s"expected NAME:CLAIM or NAME:CLAIM,CLAIM, with claims of ${claims.mkString(", ")}"

  /** The root policy, which is that of the connection strings, and those that are named. */
  def policies(arguments: Seq[String]): Seq[SharedAccessPolicy] = {
    val all = SharedAccessPolicy.Root +: arguments.map(parse)
    all.groupBy(_.name).values.find(_.size > 1).foreach { same =>
      throw new UsageException(s"--policy ${same.head.name}: there is a policy of that name already.")
    }
    all
  }

  def parse(text: String): SharedAccessPolicy = text.split(":", -1) match {
    case Array(name, named) if name.nonEmpty =>
      SharedAccessPolicy(name, SharedAccessPolicy.Root.key, named.split(',').map(claim(text, _)).toSet)
    case _ => throw new UsageException(s"--policy $text: $Expected.")
  }

  private def claim(text: String, name: String): Claim =
    claims.find(
      _.toString.equalsIgnoreCase(name.trim)
    ).getOrElse(throw new UsageException(s"--policy $text: $Expected."))
}
