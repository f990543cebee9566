package org.apache.spark.eventhubs.blob

import java.time.{OffsetDateTime, ZoneOffset}

import com.azure.core.http.{HttpHeaderName, HttpMethod, HttpRequest}

import testkit.TestSuite

/** Azurite checks signatures too (AzureBlobStoreSuite); this is what the service's documentation says. */
class SharedKeyPolicySuite extends TestSuite {

  test("the day of a date has two digits") {
    val time = OffsetDateTime.of(2026, 3, 5, 4, 6, 7, 0, ZoneOffset.UTC)
    assert(SharedKeyPolicy.date(time) == "Thu, 05 Mar 2026 04:06:07 GMT")
  }

  test("headers and parameters are signed in the documented order, and a length of zero is empty") {
    val url = "https://acc.blob.core.windows.net/box/ns/%24default/0?comp=metadata&Timeout=30"
    val request = new HttpRequest(HttpMethod.PUT, url)
      .setHeader(HttpHeaderName.fromString("x-ms-version"), "2021-12-02")
      .setHeader(HttpHeaderName.fromString("x-ms-meta-offset"), "42")
      .setHeader(HttpHeaderName.fromString("x-ms-date"), "Thu, 05 Mar 2026 04:06:07 GMT")
      .setHeader(HttpHeaderName.IF_MATCH, "0x8D")
      .setHeader(HttpHeaderName.CONTENT_LENGTH, "0")
    val expected = Seq("PUT", "", "", "", "", "", "", "", "0x8D", "", "", "") ++ Seq(
      "x-ms-date:Thu, 05 Mar 2026 04:06:07 GMT",
      "x-ms-meta-offset:42",
      "x-ms-version:2021-12-02",
      "/acc/box/ns/%24default/0",
      "comp:metadata",
      "timeout:30"
    )
    assert(SharedKeyPolicy.textToSign(request, "acc").split("\n", -1).toSeq == expected)
  }
}
