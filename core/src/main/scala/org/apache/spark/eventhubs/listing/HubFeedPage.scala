package org.apache.spark.eventhubs.listing

import java.io.ByteArrayInputStream
import java.nio.charset.StandardCharsets.UTF_8
import javax.xml.stream.{XMLInputFactory, XMLStreamConstants, XMLStreamException, XMLStreamReader}

/**
 * One page of the Atom feed of a namespace's event hubs.
 *
 * @param names   the titles of the feed's entries
 * @param hasNext whether the feed has a link to a next page
 */
private[listing] final case class HubFeedPage(names: Seq[String], hasNext: Boolean)

private[listing] object HubFeedPage {

  private val factory = {
    val made = XMLInputFactory.newDefaultFactory()
    made.setProperty(XMLInputFactory.SUPPORT_DTD, false)
    made.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false)
    made.setProperty(XMLInputFactory.IS_COALESCING, true)
    made
  }

  /** @throws javax.xml.stream.XMLStreamException when it is no feed */
  def parse(xml: Array[Byte]): HubFeedPage = {
    val reader = factory.createXMLStreamReader(new ByteArrayInputStream(xml), UTF_8.name)
    val names = Seq.newBuilder[String]
    var hasNext = false
    var path = List.empty[String]
    try
      while (reader.hasNext) reader.next() match {
        case XMLStreamConstants.START_ELEMENT =>
          path = reader.getLocalName :: path
          if (path == Title) {
            names += reader.getElementText.trim
            path = path.tail
          } else if (path == Link) hasNext ||= isNext(reader)
          else if (path.tail.isEmpty && path != Feed)
            throw new XMLStreamException(s"<${reader.getLocalName}> is not <feed>")
        case XMLStreamConstants.END_ELEMENT => path = path.tail
        case _ => ()
      }
    finally reader.close()
    HubFeedPage(names.result(), hasNext)
  }

  private def isNext(link: XMLStreamReader): Boolean = (0 until link.getAttributeCount).exists { index =>
    link.getAttributeLocalName(index) == "rel" && link.getAttributeValue(index) == "next"
  }

  private val Feed = List("feed")

  // From the inside.
  private val Title = List("title", "entry", "feed")
  private val Link = List("link", "feed")
}
