package localhub.cli

/** Finds the option that a mistyped one was meant to be. */
private[cli] object NearOption {

  private val MostEdits = 2

  def of(typed: String, options: Seq[String]): Option[String] = {
    val name = typed.takeWhile(_ != '=')
    options.map(option => option -> edits(name, option)).filter(_._2 <= MostEdits).minByOption(_._2).map(_._1)
  }

  /** The letters to insert, to leave out or to replace. Each pass adds a letter of `to` to the row of distances. */
  private def edits(from: String, to: String): Int =
    to.foldLeft(Seq.range(0, from.length + 1)) { (row, added) =>
      row.zip(row.tail).zip(from).scanLeft(row.head + 1) { case (left, ((corner, above), letter)) =>
        (left + 1).min(above + 1).min(if (letter == added) corner else corner + 1)
      }
    }.last
}
