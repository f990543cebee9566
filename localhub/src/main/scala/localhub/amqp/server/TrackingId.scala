package localhub.amqp.server

import java.time.format.DateTimeFormatter
import java.time.temporal.ChronoUnit
import java.time.{Instant, LocalDateTime, ZoneOffset}
import java.util.concurrent.ThreadLocalRandom

/** What the service writes behind its error texts, so that its support can find the request. */
private[amqp] object TrackingId {

  def behind(text: String): String =
    s"$text TrackingId:${newHexId()}_G1, SystemTracker:localhub, Timestamp:${timestamp(Instant.now)}"

  /** 32 hexadecimal digits. */
  def newHexId(): String = {
    val random = ThreadLocalRandom.current
    f"${random.nextLong()}%016x${random.nextLong()}%016x"
  }

  private def timestamp(now: Instant): String =
    DateTimeFormatter.ISO_LOCAL_DATE_TIME
      .format(LocalDateTime.ofInstant(now, ZoneOffset.UTC).truncatedTo(ChronoUnit.SECONDS))
}
