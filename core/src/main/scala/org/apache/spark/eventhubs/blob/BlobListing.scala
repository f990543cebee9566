package org.apache.spark.eventhubs.blob

import java.io.ByteArrayInputStream
import java.net.URLDecoder
import java.nio.charset.StandardCharsets.UTF_8
import java.time.format.DateTimeFormatter
import java.time.{Instant, ZonedDateTime}
import java.util.Locale
import javax.xml.stream.{XMLInputFactory, XMLStreamConstants, XMLStreamReader}

import scala.collection.mutable

/** One page of the answer to List Blobs. */
private[blob] final case class BlobListing(blobs: Seq[StoredBlob], nextMarker: Option[String])

private[blob] object BlobListing {

  private val factory = {
    val made = XMLInputFactory.newDefaultFactory()
    made.setProperty(XMLInputFactory.SUPPORT_DTD, false)
    made.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false)
    made.setProperty(XMLInputFactory.IS_COALESCING, true)
    made
  }

  /** @throws javax.xml.stream.XMLStreamException when it is no answer of a storage account */
  def parse(xml: Array[Byte]): BlobListing = {
    // Some servers begin with a byte order mark, which the parser takes for text.
    val start = if (xml.length > 2 && (xml(0) & 0xff) == 0xef) 3 else 0
    val reader = factory.createXMLStreamReader(new ByteArrayInputStream(xml, start, xml.length - start), UTF_8.name)
    val blobs = Seq.newBuilder[StoredBlob]
    var next = Option.empty[String]
    try
      while (reader.hasNext)
        if (reader.next() == XMLStreamConstants.START_ELEMENT) reader.getLocalName match {
          case "Blob" => blobs += blob(reader)
          case "NextMarker" => next = Some(reader.getElementText).filter(_.nonEmpty)
          case _ => ()
        }
    finally reader.close()
    BlobListing(blobs.result(), next)
  }

  /** @param reader at the start of a Blob element; afterwards at its end */
  private def blob(reader: XMLStreamReader): StoredBlob = {
    val texts = mutable.Map.empty[String, String]
    val metadata = mutable.Map.empty[String, String]
    eachChild(reader) {
      case "Name" =>
        val isEncoded = Option(reader.getAttributeValue(None.orNull, "Encoded")).contains("true")
        val text = reader.getElementText
        texts("Name") = if (isEncoded) URLDecoder.decode(text, UTF_8.name) else text
      case "Properties" => eachChild(reader)(name => texts(name) = text(reader))
      case "Metadata" => eachChild(reader)(name => metadata(name.toLowerCase(Locale.ROOT)) = text(reader))
      case _ => skip(reader)
    }
    StoredBlob(
      texts.getOrElse("Name", ""),
      texts.getOrElse("Etag", ""),
      metadata.toMap,
      texts.get("Last-Modified").fold(Instant.EPOCH)(time)
    )
  }

  def time(text: String): Instant = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant

  /** Calls `use` at the start of each child. It leaves the reader at the child's end. */
  private def eachChild(reader: XMLStreamReader)(use: String => Unit): Unit = {
    var event = reader.next()
    while (event != XMLStreamConstants.END_ELEMENT) {
      if (event == XMLStreamConstants.START_ELEMENT) use(reader.getLocalName)
      event = reader.next()
    }
  }

  /** The text of an element, without its children. */
  private def text(reader: XMLStreamReader): String = {
    val text = new StringBuilder
    var event = reader.next()
    while (event != XMLStreamConstants.END_ELEMENT) {
      if (event == XMLStreamConstants.START_ELEMENT) skip(reader)
      else if (event == XMLStreamConstants.CHARACTERS) text ++= reader.getText
      event = reader.next()
    }
    text.result()
  }

  private def skip(reader: XMLStreamReader): Unit = { text(reader); () }
}
