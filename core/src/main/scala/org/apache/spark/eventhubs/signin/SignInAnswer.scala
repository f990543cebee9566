package org.apache.spark.eventhubs.signin

import java.nio.ByteBuffer
import java.nio.charset.Charset
import java.nio.charset.StandardCharsets.UTF_8

import com.azure.core.http.{HttpHeaderName, HttpHeaders, HttpRequest, HttpResponse}
import reactor.core.publisher.{Flux, Mono}

/** An answer to a request of a sign-in, with its whole body. */
private[signin] final class SignInAnswer(request: HttpRequest, status: Int, headers: HttpHeaders, body: Array[Byte])
    extends HttpResponse(request) {

  override def getStatusCode: Int = status
  override def getHeaders: HttpHeaders = headers

  @deprecated("the SDK replaced it", "azure-core 1.38")
  override def getHeaderValue(name: String): String = headers.getValue(HttpHeaderName.fromString(name))

  override def getBody: Flux[ByteBuffer] = Mono.fromSupplier[ByteBuffer](() => ByteBuffer.wrap(body)).flux()
  override def getBodyAsByteArray: Mono[Array[Byte]] = Mono.just(body)
  override def getBodyAsString: Mono[String] = getBodyAsString(UTF_8)
  override def getBodyAsString(charset: Charset): Mono[String] = Mono.just(new String(body, charset))
  override def buffer(): HttpResponse = this
}
