package org.apache.spark.eventhubs.ownership

import java.net.{InetAddress, ServerSocket}
import java.nio.charset.StandardCharsets.UTF_8
import java.time.format.DateTimeFormatter.RFC_1123_DATE_TIME
import java.time.{Duration, Instant, ZoneOffset}

import org.apache.spark.eventhubs.blob.{AzureBlobStore, BlobContainer, StorageCredential}
import org.apache.spark.eventhubs.{EventHubName, Secret}
import testkit.TestSuite

/** The clock of a store differs from this machine's. */
class StoreClockSuite extends TestSuite {

  private val hub = EventHubName("ns.example.net", "alerts")

  private def text(time: Instant): String = RFC_1123_DATE_TIME.format(time.atOffset(ZoneOffset.UTC))

  /** The age of a lease in a store that answers at `storeTime`, ten seconds after the lease was renewed. */
  private def age(storeTime: Option[Instant], renewed: Instant): Long = {
    val xml = "<EnumerationResults><Blobs><Blob><Name>ns.example.net/alerts/$default/ownership/0</Name><Properties>" +
      s"<Last-Modified>${text(renewed)}</Last-Modified><Etag>1</Etag></Properties><Metadata><ownerid>other</ownerid>" +
      "</Metadata></Blob></Blobs></EnumerationResults>"
    val date = storeTime.fold("")(time => s"Date: ${text(time)}\r\n")
    val answer = s"HTTP/1.1 200 OK\r\n${date}Content-Length: ${xml.length}\r\nConnection: close\r\n\r\n$xml"
    val server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress)
    val serving = new Thread(() => {
      val connection = server.accept()
      connection.getInputStream.read(new Array[Byte](4096))
      connection.getOutputStream.write(answer.getBytes(UTF_8))
      connection.close()
    })
    serving.start()
    try {
      val container =
        BlobContainer(
          s"http://127.0.0.1:${server.getLocalPort}/acc/box",
          StorageCredential.SharedAccess(Secret("sig=x"))
        )
      val store = new AzureBlobStore(container, Duration.ofSeconds(20))
      val leases = new BlobOwnershipStore(store, hub, "$Default").list()
      assert(leases.map(_.ownerId) == Seq("other"))
      leases.head.ageMillis
    } finally {
      server.close()
      serving.join()
    }
  }

  test("the age of a lease is by the store's clock, be it an hour behind or ahead of this machine's") {
    Seq(-3600L, 0L, 3600L).foreach { seconds =>
      val renewed = Instant.now().plusSeconds(seconds)
      assert(age(Some(renewed.plusSeconds(10)), renewed) == 10000)
    }
  }

  test("where the store does not say its time, this machine's counts") {
    val millis = age(None, Instant.now().minusSeconds(3600))
    assert(millis >= 3600000 && millis < 3700000)
  }
}
