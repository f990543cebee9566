package org.apache.spark.eventhubs.blob

import java.net.URLEncoder
import java.nio.charset.StandardCharsets.UTF_8
import java.time.{Duration, Instant}
import java.util.Locale
import javax.xml.stream.XMLStreamException

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.azure.core.http.policy.{
  BearerTokenAuthenticationPolicy,
  ExponentialBackoff,
  HttpPipelinePolicy,
  RequestRetryCondition,
  RetryPolicy
}
import com.azure.core.http.{HttpClient, HttpHeaderName, HttpMethod, HttpPipelineBuilder, HttpRequest, HttpResponse}
import com.azure.core.util.{BinaryData, Context, HttpClientOptions}

import org.apache.spark.eventhubs.signin.{EntraSignIn, SdkLogging, SignInHttpClient, SignInNetwork}

/**
 * Azure Blob Storage by its REST calls, on the HTTP client of the Azure SDK that the jar has anyway.
 *
 * @param timeout of one attempt of one request
 * @param network the proxy and the certificates of the options, for the requests and their sign-in
 */
private[spark] final class AzureBlobStore private[eventhubs] (
    container: BlobContainer,
    timeout: Duration,
    network: SignInNetwork = SignInNetwork.OfMachine
) extends BlobStore {

  import AzureBlobStore._

  SdkLogging.quieten()

  private val longestConnect = shorter(timeout, LongestConnect)

  // The SDK's client keeps connections open, but knows neither option.
  private val http: HttpClient =
    if (network == SignInNetwork.OfMachine)
      HttpClient.createDefault(
        new HttpClientOptions().setConnectTimeout(longestConnect).setResponseTimeout(timeout).setReadTimeout(timeout)
      )
    else new SignInHttpClient(network, longestConnect, timeout)

  private val signing: Seq[HttpPipelinePolicy] = container.credential match {
    case key: StorageCredential.AccountKey => Seq(new SharedKeyPolicy(key))
    case StorageCredential.Entra(credential) =>
      Seq(new BearerTokenAuthenticationPolicy(EntraSignIn.of(credential, network), Scope))
    case _: StorageCredential.SharedAccess => Nil
  }

  private val once = pipeline(Nil)
  private val retrying = pipeline(Seq(new RetryPolicy(new UntilInterrupted)))

  override val name: String = container.url

  override def list(prefix: String): Seq[StoredBlob] = listFrom(prefix, None, Vector.empty).sortBy(_.name)

  @tailrec
  private def listFrom(prefix: String, marker: Option[String], found: Vector[StoredBlob]): Seq[StoredBlob] = {
    val doing = s"listing the blobs below '$prefix'"
    val query = Seq("restype" -> "container", "comp" -> "list", "include" -> "metadata", "prefix" -> prefix) ++
      marker.map("marker" -> _)
    val page = call(request(HttpMethod.GET, "", query), doing, isRead = true) { answer =>
      if (answer.getStatusCode != 200) throw BlobErrors.refused(name, doing, answer)
      try {
        val parsed = BlobListing.parse(answer.getBodyAsBinaryData.toBytes)
        parsed.copy(blobs = parsed.blobs.map(_.answered(timeOf(answer))))
      } catch { case torn: XMLStreamException => throw BlobErrors.noStore(name, doing, torn) }
    }
    if (page.nextMarker.isEmpty) found ++ page.blobs else listFrom(prefix, page.nextMarker, found ++ page.blobs)
  }

  override def read(blob: String): Option[BlobContent] = {
    val doing = s"reading the blob '$blob'"
    call(request(HttpMethod.GET, blob), doing, isRead = true) { answer =>
      answer.getStatusCode match {
        case 200 =>
          val length = header(answer, "Content-Length").flatMap(_.toLongOption).getOrElse(0L)
          if (length > BlobStore.MaxContentBytes)
            throw BlobErrors.malformed(name, blob, s"it has $length bytes, and a checkpoint has less than 65536")
          val body = Option(answer.getBodyAsBinaryData).fold(BlobStore.NoContent)(_.toBytes)
          Some(BlobContent(stored(blob, answer), body))
        case _ if BlobErrors.isNoBlob(answer) => None
        case _ => throw BlobErrors.refused(name, doing, answer)
      }
    }
  }

  override def setMetadata(blob: String, metadata: Map[String, String], condition: WriteCondition): WriteOutcome =
    write(blob, request(HttpMethod.PUT, blob, Seq("comp" -> "metadata")), BlobStore.NoContent, metadata, condition)

  override def upload(
      blob: String,
      body: Array[Byte],
      metadata: Map[String, String],
      condition: WriteCondition
  ): WriteOutcome = {
    val put = request(HttpMethod.PUT, blob)
    put.setHeader(HttpHeaderName.fromString("x-ms-blob-type"), "BlockBlob")
    write(blob, put, body, metadata, condition)
  }

  private def write(
      blob: String,
      put: HttpRequest,
      body: Array[Byte],
      metadata: Map[String, String],
      condition: WriteCondition
  ): WriteOutcome = {
    val doing = s"writing the blob '$blob'"
    put.setBody(BinaryData.fromBytes(body))
    // The signature of a key covers it, and a client may add its own.
    put.setHeader(HttpHeaderName.CONTENT_TYPE, "application/octet-stream")
    metadata.foreach { case (key, value) => put.setHeader(HttpHeaderName.fromString(s"$Metadata$key"), value) }
    condition match {
      case WriteCondition.Always => ()
      case WriteCondition.IfAbsent => put.setHeader(HttpHeaderName.IF_NONE_MATCH, "*")
      case WriteCondition.IfUnchanged(etag) => put.setHeader(HttpHeaderName.IF_MATCH, etag)
    }
    call(put, doing, isRead = false) { answer =>
      answer.getStatusCode match {
        case 200 | 201 =>
          val now = stored(blob, answer)
          WriteOutcome.Written(now.etag, now.lastModified)
        case 409 | 412 if BlobErrors.isConditionNotMet(answer) => WriteOutcome.ConditionNotMet
        case _ if BlobErrors.isNoBlob(answer) => WriteOutcome.NoSuchBlob
        case _ => throw BlobErrors.refused(name, doing, answer)
      }
    }
  }

  private def request(method: HttpMethod, blob: String, query: Seq[(String, String)] = Nil): HttpRequest = {
    val signature = container.credential match {
      case StorageCredential.SharedAccess(token) => Some(token.value)
      case _ => None
    }
    val parameters = query.map { case (key, value) => s"$key=${encoded(value)}" } ++ signature
    val path = if (blob.isEmpty) "" else blob.split("/", -1).map(encoded).mkString("/", "/", "")
    val made = new HttpRequest(method, s"${container.url}$path" + parameters.mkString("?", "&", "").stripSuffix("?"))
    made.setHeader(HttpHeaderName.fromString("x-ms-version"), ServiceVersion)
    made.setHeader(HttpHeaderName.USER_AGENT, "spark-eventhubs")
  }

  private def call[A](request: HttpRequest, doing: String, isRead: Boolean)(use: HttpResponse => A): A =
    try {
      val answer = (if (isRead) retrying else once).sendSync(request, Context.NONE)
      try use(answer)
      finally answer.close()
    } catch {
      case NonFatal(failed) => throw BlobErrors.translate(name, doing, failed)
    }

  private def pipeline(first: Seq[HttpPipelinePolicy]) =
    new HttpPipelineBuilder().httpClient(http).policies(first ++ signing: _*).build()

  private def stored(blob: String, answer: HttpResponse): StoredBlob = {
    val metadata = answer.getHeaders.asScala
      .map(header => header.getName.toLowerCase(Locale.ROOT) -> header.getValue)
      .collect { case (key, value) if key.startsWith(Metadata) => key.stripPrefix(Metadata) -> value }
    val modified = header(answer, "Last-Modified").fold(Instant.EPOCH)(BlobListing.time)
    StoredBlob(blob, header(answer, "ETag").getOrElse(""), metadata.toMap, modified).answered(timeOf(answer))
  }

  private def timeOf(answer: HttpResponse): Option[Instant] = header(answer, "Date").map(BlobListing.time)

  private def header(answer: HttpResponse, key: String): Option[String] =
    Option(answer.getHeaderValue(HttpHeaderName.fromString(key)))
}

private[spark] object AzureBlobStore {

  /** Has everything that is used here, and emulators know it. */
  private val ServiceVersion = "2021-12-02"
  private val Scope = "https://storage.azure.com/.default"
  private val Metadata = "x-ms-meta-"
  private val LongestConnect = Duration.ofSeconds(10)
  private val Retries = 2
  private val FirstDelay = Duration.ofMillis(300)
  private val LongestDelay = Duration.ofSeconds(3)

  /** The SDK would also repeat a call whose thread was interrupted, which is how a query is stopped. */
  private final class UntilInterrupted extends ExponentialBackoff(Retries, FirstDelay, LongestDelay) {

    // The SDK asks for each cause of a failure in turn, and one yes is enough.
    override def shouldRetryCondition(condition: RequestRetryCondition): Boolean =
      Option(condition.getThrowable).forall(BlobErrors.interrupt(_).isEmpty) && super.shouldRetryCondition(condition)
  }

  private def shorter(one: Duration, other: Duration) = if (one.compareTo(other) < 0) one else other

  /** A URL's path needs `%20` for a space. */
  private def encoded(text: String): String = URLEncoder.encode(text, UTF_8.name).replace("+", "%20")
}
