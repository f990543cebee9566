package localhub.cli

import localhub.auth.{Claim, SharedAccessPolicy}

/**
 * A further policy: `sender:Send` or `both:Send,Listen`. Every policy has the same fixed key, because all users of the
 * machine could see a key on the command line.
 */
private[localhub] object PolicyArgument {
  private val claims = Seq(Claim.Listen, Claim.Send, Claim.Manage)
  private val Expected = s"expected NAME:CLAIM or NAME:CLAIM,CLAIM, with claims of ${claims.mkString(", ")}"

  /** The root policy, which connection strings use, and the given ones. */
  def policies(arguments: Seq[String]): Seq[SharedAccessPolicy] = {
    val all = SharedAccessPolicy.Root +: arguments.map(parse)
    all.groupBy(_.name).values.find(_.size > 1).foreach { same =>
      throw new UsageException(s"--policy ${same.head.name}: a policy with this name already exists.")
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
