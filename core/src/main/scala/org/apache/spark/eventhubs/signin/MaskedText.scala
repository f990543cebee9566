package org.apache.spark.eventhubs.signin

/** Texts without some values, which may be secret. A value of fewer than four characters is none. */
private[signin] final class MaskedText(values: Seq[String]) {

  // The longest first, because one may be a part of another.
  private val secrets = values.filter(_.length >= MaskedText.Shortest).distinct.sortBy(-_.length)

  def apply(text: String): String = secrets.foldLeft(text)(_.replace(_, "***"))

  /** Whether a text of the failure, or of what caused it, has one of the values. */
  def isIn(failed: Throwable): Boolean =
    Iterator.iterate(failed)(_.getCause).takeWhile(Option(_).nonEmpty).take(MaskedText.LongestChain)
      .flatMap(each => each +: each.getSuppressed.toSeq)
      .exists(each => secrets.exists(each.toString.contains(_)))
}

private object MaskedText {
  private val Shortest = 4
  private val LongestChain = 20
}
