package localhub.schemas

import scala.util.Try

private[schemas] object JsonText {

  /** Nesting that a parser which calls itself can take. */
  private val MaxDepth = 200

  /** @return the value, or what is wrong with the text */
  def parse(text: String): Either[String, ujson.Value] =
    if (depth(text) > MaxDepth) Left(s"it is nested more than $MaxDepth levels deep.")
    else Try(ujson.read(text)).toEither.left.map(failure => s"${failure.getMessage}.")

  /** At least the depth of the nesting: brackets in texts count too. */
  private def depth(text: String): Int = {
    var now = 0
    var most = 0
    text.foreach {
      case '{' | '[' =>
        now += 1
        most = math.max(most, now)
      case '}' | ']' => now -= 1
      case _ => ()
    }
    most
  }
}
