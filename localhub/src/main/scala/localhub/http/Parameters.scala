package localhub.http

/** Query parameters of a URL. */
private[localhub] object Parameters {

  /** Refuses unknown parameters, because a misspelt one would silently do nothing. */
  def check(query: Map[String, String], known: String*): Unit =
    query.keys.find(!known.contains(_)).foreach { unknown =>
      throw BadRequest(s"'$unknown' is not a parameter of this request; expected one of ${known.mkString(", ")}.")
    }

  def long(query: Map[String, String], name: String): Option[Long] = query.get(name).map { text =>
    text.toLongOption.getOrElse(throw BadRequest(s"$name is '$text'; expected a whole number."))
  }
}
