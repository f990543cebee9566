package org.apache.spark.eventhubs.signin

import com.azure.identity.CredentialUnavailableException

/** Why no member of the SDK's default chain gives a token. Its text has a line for each of them. */
private[signin] object ChainReasons {

  /** What a member adds about itself, with links to pages. */
  private val Advice = "\\s*(To mitigate this issue|See the troubleshooting guide|Please login with|Ensure you have).*"
  private val LongestReason = 160
  private val MostReasons = 10

  /** A short reason for each member, as part of a sentence; None for a failure of a single credential. */
  def in(chain: Seq[Throwable]): Option[String] = chain.collectFirst {
    case unavailable: CredentialUnavailableException => reasons(String.valueOf(unavailable.getMessage))
  }.filter(_.size > 1).map(_.mkString("; "))

  private def reasons(text: String): Seq[String] =
    text.linesIterator.map(_.replaceFirst(Advice, "").trim.stripSuffix(".")).filter(_.nonEmpty).toSeq.distinct
      .take(MostReasons).map(reason =>
        if (reason.length > LongestReason) s"${reason.take(LongestReason)}..." else reason
      )
}
