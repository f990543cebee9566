package org.apache.spark.eventhubs.blob

import java.net.URLDecoder
import java.nio.charset.StandardCharsets.UTF_8
import java.time.{OffsetDateTime, ZoneOffset}
import java.util.{Base64, Locale}
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec

import scala.jdk.CollectionConverters._

import com.azure.core.http.policy.HttpPipelinePolicy
import com.azure.core.http.{
  HttpHeaderName,
  HttpPipelineCallContext,
  HttpPipelineNextPolicy,
  HttpPipelineNextSyncPolicy,
  HttpRequest,
  HttpResponse
}
import com.azure.core.util.DateTimeRfc1123
import reactor.core.publisher.Mono

import org.apache.spark.eventhubs.EventHubsErrors
import org.apache.spark.eventhubs.options.CheckpointStoreOptions.ConnectionString

/**
 * Signs requests with the key of a storage account.
 *
 * @see "Authorize with Shared Key", learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key
 */
private[blob] final class SharedKeyPolicy(credential: StorageCredential.AccountKey) extends HttpPipelinePolicy {

  import SharedKeyPolicy._

  private val key =
    try new SecretKeySpec(Base64.getDecoder.decode(credential.key.value), Algorithm)
    catch {
      case _: IllegalArgumentException =>
        throw EventHubsErrors.invalidOption(ConnectionString.key, "***", "an AccountKey in Base64")
    }

  override def process(call: HttpPipelineCallContext, next: HttpPipelineNextPolicy): Mono[HttpResponse] = {
    sign(call.getHttpRequest)
    next.process()
  }

  override def processSync(call: HttpPipelineCallContext, next: HttpPipelineNextSyncPolicy): HttpResponse = {
    sign(call.getHttpRequest)
    next.processSync()
  }

  private def sign(request: HttpRequest): Unit = {
    request.setHeader(DateHeader, date(OffsetDateTime.now(ZoneOffset.UTC)))
    val mac = Mac.getInstance(Algorithm)
    mac.init(key)
    val signature =
      Base64.getEncoder.encodeToString(mac.doFinal(textToSign(request, credential.account).getBytes(UTF_8)))
    request.setHeader(HttpHeaderName.AUTHORIZATION, s"SharedKey ${credential.account}:$signature")
    ()
  }
}

private[blob] object SharedKeyPolicy {

  private val Algorithm = "HmacSHA256"
  private val DateHeader = HttpHeaderName.fromString("x-ms-date")

  private val SignedHeaders = Seq(
    "Content-Encoding",
    "Content-Language",
    "Content-Length",
    "Content-MD5",
    "Content-Type",
    "Date",
    "If-Modified-Since",
    "If-Match",
    "If-None-Match",
    "If-Unmodified-Since",
    "Range"
  )

  /** With two digits for the day, which the JDK's format of the same name does not always have. */
  def date(time: OffsetDateTime): String = new DateTimeRfc1123(time).toString

  def textToSign(request: HttpRequest, account: String): String = {
    val plain = SignedHeaders.map { name =>
      val value = Option(request.getHeaders.getValue(HttpHeaderName.fromString(name))).getOrElse("")
      if (name == "Content-Length" && value == "0") "" else value
    }
    val own = request.getHeaders.asScala.toSeq
      .map(header => header.getName.toLowerCase(Locale.ROOT) -> header.getValue.trim)
      .filter(_._1.startsWith("x-ms-"))
      .sortBy(_._1)
      .map { case (name, value) => s"$name:$value" }
    val url = request.getUrl
    val parameters = Option(url.getQuery).fold(Seq.empty[String])(_.split('&').toSeq).filter(_.nonEmpty)
      .map(_.split("=", 2) match {
        case Array(name, value) => (decoded(name).toLowerCase(Locale.ROOT), decoded(value))
        case other => (decoded(other.head), "")
      })
      .sortBy(_._1)
      .map { case (name, value) => s"$name:$value" }
    val lines = (request.getHttpMethod.toString +: plain) ++ own ++ (s"/$account${url.getPath}" +: parameters)
    lines.mkString("\n")
  }

  private def decoded(part: String): String = URLDecoder.decode(part, UTF_8.name)
}
