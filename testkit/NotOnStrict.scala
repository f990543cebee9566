package testkit

import org.scalatest.Tag

/** Marks a test that means nothing where the hub is strict: `test("...", NotOnStrict("it counts questions"))`. */
final case class NotOnStrict(why: String) extends Tag(NotOnStrict.Prefix + why)

object NotOnStrict {
  private val Prefix = "not on the strict profile: "

  /** The reason to skip a test with these tags. */
  def reason(tags: Set[String]): Option[String] =
    if (HubService.current == HubService.Usual) None else tags.find(_.startsWith(Prefix))
}
