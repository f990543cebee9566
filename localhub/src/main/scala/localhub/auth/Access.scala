package localhub.auth

/** The claim that a link needs on a resource. A token must grant it while the link is open. */
private[localhub] final case class Access(claim: Claim, path: String) {
  val resource: ResourcePath = ResourcePath(path)
}
