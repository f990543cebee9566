package org.apache.spark.eventhubs.options

import java.util.Locale

/** Finds the name that a user probably meant. */
private[eventhubs] object EditDistance {

  /** @return the nearest name; None if it differs in more than a third of its letters */
  def nearest(name: String, candidates: Iterable[String]): Option[String] =
    candidates
      .map(candidate => candidate -> between(name.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT)))
      .filter { case (candidate, distance) => distance <= math.max(1, candidate.length / 3) }
      .minByOption { case (candidate, distance) => (distance, candidate) }
      .map(_._1)

  /**
   * The name that differs in one letter, or in two of a long name. So few letters differ only in a typo: the options of
   * other data sources are not near.
   */
  def typo(name: String, candidates: Iterable[String]): Option[String] =
    candidates
      .map(candidate => candidate -> between(name.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT)))
      .filter { case (candidate, distance) =>
        candidate.length >= 6 && distance <= (if (candidate.length < 10) 1 else 2)
      }
      .minByOption { case (candidate, distance) => (distance, candidate) }
      .map(_._1)

  /** Number of insertions, deletions, substitutions and swaps of neighbours that turn `from` into `to`. */
  def between(from: String, to: String): Int = {
    val rows = Array.tabulate(from.length + 1, to.length + 1)((i, j) => if (i == 0) j else if (j == 0) i else 0)
    for (i <- 1 to from.length; j <- 1 to to.length) {
      val substitution = if (from(i - 1) == to(j - 1)) 0 else 1
      val plain = math.min(math.min(rows(i - 1)(j), rows(i)(j - 1)) + 1, rows(i - 1)(j - 1) + substitution)
      val swapped = i > 1 && j > 1 && from(i - 1) == to(j - 2) && from(i - 2) == to(j - 1)
      rows(i)(j) = if (swapped) math.min(plain, rows(i - 2)(j - 2) + 1) else plain
    }
    rows(from.length)(to.length)
  }
}
