package localhub

import java.time.Duration

/**
 * Rules of the service that differ between its tiers, or that a program meets only after minutes.
 *
 * @param timeScale           factor for the service's long times: tokens have five minutes of grace, a connection
 *                            without links is closed after five minutes, an idle link after thirty. With 0.01 these
 *                            are 3, 3 and 18 seconds.
 * @param maxMessageBytes     largest event or batch: 256 KB in the Basic tier, 1 MB, or 20 MB in the Dedicated tier
 * @param unsettledReaders    a reader that asks for unsettled events gets them so; the service settles all events
 * @param managementPerSecond requests for hub and partition properties that the namespace answers in a second; the
 *                            service documents 50; None is no limit
 * @param idempotentProducers whether a link to a partition may be of an idempotent producer
 * @param managementMaxAge    an answer with partition properties may be as old as this
 * @param answersDrain        whether a reader that drains its link gets an answer; otherwise the flag changes nothing
 * @param textOffsets         whether offsets in memory are texts that are no numbers, as in a geo-replicated hub; not
 *                            in compacted hubs
 * @param schemaSignatures    whether the schema registry takes shared access signatures; the SDKs sign in only
 */
final case class ServiceSettings(
    timeScale: Double = 1,
    maxMessageBytes: Int = 1024 * 1024,
    unsettledReaders: Boolean = false,
    managementPerSecond: Option[Int] = None,
    managementMaxAge: Duration = Duration.ZERO,
    idempotentProducers: Boolean = true,
    answersDrain: Boolean = true,
    textOffsets: Boolean = false,
    schemaSignatures: Boolean = true
) {
  private def check(holds: Boolean, expected: String): Unit = if (!holds) throw new LocalHubException(expected)

  check(timeScale > 0 && timeScale <= 1, s"The time scale is $timeScale; expected above 0 and at most 1.")
  check(
    maxMessageBytes >= 1024 && maxMessageBytes <= ServiceSettings.MaxMessageBytes,
    s"The largest event is $maxMessageBytes bytes; expected 1024 to ${ServiceSettings.MaxMessageBytes}."
  )
  check(
    managementPerSecond.forall(_ > 0),
    s"The management requests per second are ${managementPerSecond.mkString}; expected 1 or more."
  )
}

object ServiceSettings {

  /** The Dedicated tier has this limit. */
  val MaxMessageBytes: Int = 20 * 1024 * 1024

  /**
   * Every answer that is not known of the service is the least convenient one: a drained link gets none, partition
   * properties are 30 s old, one request for properties is answered in a second, offsets are no numbers, there are no
   * idempotent producers, and the schema registry takes no shared access signatures.
   */
  val Strict: ServiceSettings = ServiceSettings(
    managementPerSecond = Some(1),
    idempotentProducers = false,
    managementMaxAge = Duration.ofSeconds(30),
    answersDrain = false,
    textOffsets = true,
    schemaSignatures = false
  )
}
