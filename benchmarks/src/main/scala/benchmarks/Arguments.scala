package benchmarks

import benchmarks.harness.Content

/** Positional arguments of a program; `-` means the default. */
private final case class Arguments(words: Seq[String]) {
  def text(index: Int): Option[String] = words.lift(index).filter(_ != "-")
  def int(index: Int, default: Int): Int = text(index).fold(default)(_.toInt)
  def content(index: Int): Content = if (text(index).contains("full")) Content.PropertiesAndKeys else Content.Bare
}

private object Arguments {
  def apply(args: Array[String]): Arguments = Arguments(args.toSeq)
}
