package org.apache.spark.eventhubs.blob

import java.nio.charset.StandardCharsets.UTF_8
import java.time.Instant
import javax.xml.stream.XMLStreamException

import testkit.TestSuite

class BlobListingSuite extends TestSuite {

  private def page(blobs: String, marker: String = "<NextMarker />"): Array[Byte] =
    s"""\uFEFF<?xml version="1.0" encoding="utf-8"?>
       |<EnumerationResults ServiceEndpoint="https://acc.blob.core.windows.net/" ContainerName="box">
       |<Prefix>ns/</Prefix><Blobs>$blobs</Blobs>$marker</EnumerationResults>""".stripMargin.getBytes(UTF_8)

  test("name, etag, time and metadata of each blob are read; names of metadata are in lower case") {
    val blobs = """<Blob><Name>ns/hub/$default/checkpoint/0</Name><Properties>
      <Last-Modified>Wed, 01 May 2024 10:00:00 GMT</Last-Modified><Etag>0x8D</Etag>
      <Content-MD5 /><BlobType>BlockBlob</BlobType></Properties>
      <Metadata><Offset>1:2:3 &amp; more</Offset><sequencenumber>42</sequencenumber><ownerid /></Metadata>
      <OrMetadata /></Blob>
      <Blob><Name Encoded="true">a%EF%BF%BFb</Name><Properties><Etag>0x8E</Etag></Properties></Blob>"""
    val listing = BlobListing.parse(page(blobs, "<NextMarker>2!96!x</NextMarker>"))
    assert(listing.nextMarker.contains("2!96!x"))
    assert(listing.blobs.head == StoredBlob(
      "ns/hub/$default/checkpoint/0",
      "0x8D",
      Map("offset" -> "1:2:3 & more", "sequencenumber" -> "42", "ownerid" -> ""),
      Instant.parse("2024-05-01T10:00:00Z")
    ))
    assert(listing.blobs(1).name == "a\uFFFFb" && listing.blobs(1).metadata.isEmpty)
  }

  test("an empty list has no blob and no further page") {
    assert(BlobListing.parse(page("")) == BlobListing(Nil, None))
  }

  test("what is no list is refused, also an entity of another file") {
    val entity = """<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]><a>&x;</a>"""
    Seq("<html><p>sign in</html>", "not XML", entity).foreach { text =>
      intercept[XMLStreamException](BlobListing.parse(text.getBytes(UTF_8)))
    }
  }
}
