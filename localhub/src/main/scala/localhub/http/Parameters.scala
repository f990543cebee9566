package localhub.http

/** What stands behind the question mark of an address. */
object Parameters {

  /** Refuses a parameter that is none of these: a misspelt one would silently do nothing. */
  def check(query: Map[String, String], known: String*): Unit =
    query.keys.find(!known.contains(_)).foreach { unknown =>
      throw BadRequest(s"'$unknown' is not a parameter here; known are ${known.mkString(", ")}.")
    }

  def long(query: Map[String, String], name: String): Option[Long] = query.get(name).map { text =>
    text.toLongOption.getOrElse(throw BadRequest(s"$name is '$text'; expected a whole number."))
  }
}
